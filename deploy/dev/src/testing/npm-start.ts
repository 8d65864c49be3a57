// Runs main.ts as npm does, on a state directory of its own, for tests of the whole.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const main = join(import.meta.dirname, '../main.ts');
/** A stack that does not stop by itself in this time after SIGTERM is killed by the test. */
const STOP_TIMEOUT_MS = 20_000;

/** Removes servers, keys and tour state of the user's environment. */
function environment(state: string, over: Record<string, string>): Record<string, string | undefined> {
  const { NATS_URL: _n, REDIS_URL: _r, QDRANT_URL: _q, OPENAI_API_KEY: _k, OPENAI_BASE_URL: _b, ...env } = process.env;
  return { ...env, MILLRACE_STATE_DIR: state, ...over };
}

export type StartedCommand = {
  pid: number;
  stdout: () => string;
  stderr: () => string;
  kill: (signal: NodeJS.Signals) => void;
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
};

export function npmStart(state: string, args: readonly string[], over: Record<string, string> = {}): StartedCommand {
  const child = spawn(process.execPath, [main, ...args], {
    env: environment(state, over),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, stdout, stderr }));
  onTestFinished(async () => {
    const kill = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    child.kill('SIGTERM');
    await ended;
    clearTimeout(kill);
  });
  return {
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

/** The processes that it has started, by proc(5). */
export async function findChildren(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.trim().split(' ').filter(Boolean).map(Number);
}

/** Its service hosts, or those of one name. */
export const findHosts = (pid: number, name = ''): Promise<number[]> =>
  findByCommand(pid, `/host/src/host-main.ts\0${name}`);

/** Those of its processes that run a service alone. */
export const findServices = (pid: number, service: string): Promise<number[]> =>
  findByCommand(pid, `/services/${service}/`);

async function findByCommand(pid: number, part: string): Promise<number[]> {
  const children = await findChildren(pid);
  const commands = await Promise.all(
    children.map(async (child) => ({
      child,
      command: await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => ''),
    })),
  );
  return commands.filter(({ command }) => command.includes(part)).map(({ child }) => child);
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
