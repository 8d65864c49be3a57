// The processor time that a call takes, ms: on a busy machine the clock says nothing about the code.
export function cpuMs(call: () => unknown): number {
  const before = process.cpuUsage();
  call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
