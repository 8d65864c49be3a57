// The longest turn of the event loop while something goes on, ms of this thread's processor time: on a busy machine the clock says how long others
// worked. Each turn is measured, the first and the last as well, which a timer beside the work does not see.

export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  // What went on before is not its.
  await turn();
  let longest = 0;
  let last = threadMs();
  const note = () => {
    const now = threadMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const done = new AbortController();
  const watching = (async () => {
    while (!done.signal.aborted) {
      await turn();
      note();
    }
  })();
  await work();
  note();
  done.abort();
  await watching;
  return longest;
}

/** By a timer, which leaves the processor to others while the loop waits. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
