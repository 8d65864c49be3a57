// Freezes a process with SIGSTOP. The kernel delivers the signal to one thread, which stops the others: on a busy machine the process
// answers requests in the meantime.
import { readdir, readFile } from 'node:fs/promises';
import { eventually } from './eventually.ts';

/** Resolves when all threads are stopped. SIGCONT continues them. */
export async function freezeProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  if (process.platform !== 'linux') return;
  await eventually(async () => {
    const threads = await readdir(`/proc/${pid}/task`);
    const states = await Promise.all(threads.map((id) => readThreadState(pid, id)));
    return states.every((state) => state === 'T');
  });
}

/** The state follows the name of the program in parentheses: proc_pid_stat(5). */
async function readThreadState(pid: number, id: string): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/task/${id}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 1).trim()[0];
}
