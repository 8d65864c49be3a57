// Runs the sample service as a process and records its stderr.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type TestedProcess = {
  lines: string[];
  /** Returns its log: its stdout. */
  readLog(): string;
  /** Resolves when the line was written. */
  waitForLine(line: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** How the process ended: its code, or the signal. */
  ended: Promise<number | NodeJS.Signals>;
};

export function spawnSample(env: Record<string, string>, cwd?: string): TestedProcess {
  const program = fileURLToPath(new URL('./sample-main.ts', import.meta.url));
  const child = spawn(process.execPath, [program], {
    env: { ...process.env, ...env },
    ...(cwd !== undefined && { cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  let log = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (log += text));
  const waiting = new Map<string, () => void>();
  let rest = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    for (const line of parts) waiting.get(line)?.();
  });
  return {
    lines,
    readLog: () => log,
    waitForLine: (line) =>
      lines.includes(line) ? Promise.resolve() : new Promise((resolve) => void waiting.set(line, () => resolve())),
    kill: (signal) => void child.kill(signal),
    ended: once(child, 'close').then(([code, signal]) => code ?? signal),
  };
}
