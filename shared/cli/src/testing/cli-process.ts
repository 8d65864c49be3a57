// The `millrace` command as its users have it: a process with an exit code and two outputs.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compileCache, eventually } from '@millrace/testkit';

type Ended = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };
export type CliProcess = {
  /** Resolves when stdout or stderr holds the text. */
  until(text: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** As a terminal does at Ctrl-C: the command and everything that started it. Only with `npm`. */
  killGroup(signal: NodeJS.Signals): void;
  /** Whoever read stdout went away. */
  closeOutput(): void;
  ended: Promise<Ended>;
};
export type CliOptions = {
  env?: Record<string, string>;
  cwd?: string;
  /** Written to stdin, which is then closed. */
  input?: string;
  /** Started by `npm run millrace`, in a process group of its own. */
  npm?: boolean;
};

const program = fileURLToPath(new URL('../main.ts', import.meta.url));
const checkout = fileURLToPath(new URL('../../../..', import.meta.url));

/** The environment is what is given, PATH and where compiled sources are, no more: the tests' own must not reach it. */
export function startMillrace(
  args: readonly string[],
  { env = {}, cwd, input, npm = false }: CliOptions = {},
): CliProcess {
  const [command, given] = npm
    ? ['npm', ['run', '-s', 'millrace', '--', ...args]]
    : [process.execPath, [program, ...args]];
  const child = spawn(command, given, {
    env: { PATH: process.env['PATH'], ...compileCache(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: npm ? checkout : cwd,
    detached: npm,
  });
  child.stdin.end(input);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  const until = async (text: string) =>
    void (await eventually(() => `${stdout}\n${stderr}`.includes(text), { timeoutMs: 10_000 }));
  return {
    until,
    kill: (signal) => void child.kill(signal),
    killGroup: (signal) => void process.kill(-(child.pid ?? fail()), signal),
    closeOutput: () => child.stdout.destroy(),
    ended,
  };
}

function fail(): never {
  throw new Error('the process did not start');
}
