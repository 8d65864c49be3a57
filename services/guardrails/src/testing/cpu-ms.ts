// Measures the processor time of a call in ms, because wall time depends on the machine's load.
export function measureCpuMs(call: () => unknown): number {
  const before = process.cpuUsage();
  call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
