// Identifies the process of an id. Ids are reused, so an id alone never ends a process: its start time must equal the
// recorded one. A zombie counts as ended: it holds no port and no file.
import { readFile } from 'node:fs/promises';
import { runCommand } from './run-command.ts';

const PS_TIMEOUT_MS = 5_000;

export type ProcessIdentity = {
  pid: number;
  /** Start time of the process in the system's format; only compared. */
  started: string;
  command: string;
};

/** Returns the live process of this id; undefined if none exists, or the system does not report it (Windows). */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  if (process.platform === 'linux') return identifyByProc(pid);
  return process.platform === 'win32' ? undefined : identifyByPs(pid);
}

/** Whether the process noted then is the one that has the id now. */
export async function isAlive(noted: ProcessIdentity): Promise<boolean> {
  const current = await identifyProcess(noted.pid);
  return current?.started === noted.started;
}

// proc(5): field 3 is the state, field 22 the start time in ticks since boot. The name, field 2, is in parentheses and may hold
// any character, so fields are counted from the last parenthesis.
async function identifyByProc(pid: number): Promise<ProcessIdentity | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, started] = [fields[0], fields[19]];
    if (state === undefined || started === undefined || 'ZXx'.includes(state)) return undefined;
    const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim();
    return { pid, started, command };
  } catch {
    return undefined;
  }
}

async function identifyByPs(pid: number): Promise<ProcessIdentity | undefined> {
  const columns = ['-ww', '-o', 'stat=', '-o', 'lstart=', '-o', 'command=', '-p', String(pid)];
  const result = await runCommand('ps', columns, {
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    timeoutMs: PS_TIMEOUT_MS,
  });
  // "Ss  Fri Nov 21 01:02:03 2026 command": state, five words of time, the rest.
  const match = result.ok ? /^\s*(\S+)\s+((?:\S+\s+){4}\S+)\s+(.*)$/m.exec(result.stdout) : null;
  if (match === null || match[1]?.startsWith('Z')) return undefined;
  return { pid, started: match[2] ?? '', command: match[3]?.trim() ?? '' };
}
