// Lists the open handles of a process: everything that keeps its event loop alive (sockets, servers, timers, pipes),
// and its child processes, also unreferenced ones.
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** For example `{TCPSocketWrap: 1, Timeout: 2, "child process sleep (4711)": 1}`. */
export type OpenThings = Record<string, number>;

export function openThings(): OpenThings {
  const counts: OpenThings = {};
  for (const name of [...process.getActiveResourcesInfo(), ...listChildProcesses().flatMap(describeProcess)])
    counts[name] = (counts[name] ?? 0) + 1;
  for (const [name, count] of Object.entries(globalThis.millraceExemptHandles ?? {}))
    counts[name] = Math.max(0, (counts[name] ?? 0) - count);
  return counts;
}

/** Handles in excess of the earlier list, for example `["TCPSocketWrap", "2 x Timeout"]`. */
export function listRemaining(before: OpenThings, now: OpenThings): string[] {
  return Object.entries(now).flatMap(([name, count]) => {
    const more = count - (before[name] ?? 0);
    if (more <= 0) return [];
    return more === 1 ? [name] : [`${more} x ${name}`];
  });
}

/** Returns the remaining handles after a delay: closing handles need a moment. */
export async function leftOverAfter(before: OpenThings, graceMs: number): Promise<string[]> {
  const giveUpAt = Date.now() + graceMs;
  for (;;) {
    const left = listRemaining(before, openThings());
    if (left.length === 0 || Date.now() > giveUpAt) return left;
    await delay(POLL_MS);
  }
}

/** Most files wait a tenth of a second for a timer of the runner. */
const POLL_MS = 25;

declare global {
  var millraceExemptProcesses: Set<string> | undefined;
  var millraceExemptHandles: OpenThings | undefined;
}

/** Excludes a child process from `openThings`, because it serves all files of its worker. */
export function exemptProcess(pid: number): void {
  (globalThis.millraceExemptProcesses ??= new Set()).add(String(pid));
}

/** Excludes handles from `openThings`, because they serve all files of a worker. @returns ends the exemption */
export function exemptHandles(names: readonly string[]): () => void {
  const counts = (globalThis.millraceExemptHandles ??= {});
  const add = (more: number) => {
    for (const name of names) counts[name] = (counts[name] ?? 0) + more;
  };
  add(1);
  return () => add(-1);
}

/** Reads the kernel's own list. Elsewhere than on Linux there is none, and only those are seen that keep the event loop alive. */
export function listChildProcesses(): string[] {
  try {
    const tasks = readdirSync('/proc/self/task');
    const pids = tasks.flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' '));
    return pids.filter((pid) => pid !== '' && !globalThis.millraceExemptProcesses?.has(pid));
  } catch {
    return [];
  }
}

function describeProcess(pid: string): string[] {
  try {
    return [`child process ${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()} (${pid})`];
  } catch {
    // The process has ended in between.
    return [];
  }
}
