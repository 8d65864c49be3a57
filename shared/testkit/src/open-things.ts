// What a process holds open: whatever keeps its event loop alive (sockets, servers, timers, pipes), and its child processes,
// also those that it does not wait for.
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** For example `{TCPSocketWrap: 1, Timeout: 2, "child process sleep (4711)": 1}`. */
export type OpenThings = Record<string, number>;

export function openThings(): OpenThings {
  const counts: OpenThings = {};
  for (const name of [...process.getActiveResourcesInfo(), ...childProcesses()]) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** What there is more of than before, for example `["TCPSocketWrap", "2 x Timeout"]`. */
export function leftOver(before: OpenThings, now: OpenThings): string[] {
  return Object.entries(now).flatMap(([name, count]) => {
    const more = count - (before[name] ?? 0);
    if (more <= 0) return [];
    return more === 1 ? [name] : [`${more} x ${name}`];
  });
}

/**
 * What is left over still after a while: what was told to close needs a moment to be gone.
 * @param graceMs how long that moment may be
 */
export async function leftOverAfter(before: OpenThings, graceMs: number): Promise<string[]> {
  const giveUpAt = Date.now() + graceMs;
  for (;;) {
    const left = leftOver(before, openThings());
    if (left.length === 0 || Date.now() > giveUpAt) return left;
    await delay(POLL_MS);
  }
}

const POLL_MS = 10;

/** By the kernel's own list. Elsewhere than on Linux there is none, and only those are seen that keep the event loop alive. */
function childProcesses(): string[] {
  try {
    const tasks = readdirSync('/proc/self/task');
    const pids = tasks.flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' '));
    return pids.filter((pid) => pid !== '').flatMap(describeProcess);
  } catch {
    return [];
  }
}

function describeProcess(pid: string): string[] {
  try {
    return [`child process ${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()} (${pid})`];
  } catch {
    // Gone in between.
    return [];
  }
}
