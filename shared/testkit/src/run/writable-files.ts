// Simulates a process with a read-only disk.
import { execFileSync } from 'node:child_process';

/** Off: every write of the process to a file fails, as on a disk that is read-only. By `prlimit` of util-linux. */
export function writableFiles(pid: number, isWritable: boolean): void {
  const bytes = isWritable ? 'unlimited' : '0';
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:unlimited`]);
}
