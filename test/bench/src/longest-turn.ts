// Measures the longest turn of the event loop during some work, in ms of this thread's processor time, because wall
// time on a busy machine includes other processes. Measures every turn, the first and last too, which a timer would
// miss.

export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  // Excludes the preceding work.
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

/** Uses a timer, which yields the processor to other processes while the loop waits. */
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
