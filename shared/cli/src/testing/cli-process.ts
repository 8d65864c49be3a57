// Runs the `millrace` command as a process with an exit code and two outputs.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { eventually, inheritedEnv } from '@millrace/testkit';

type EndedProcess = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string };
export type CliProcess = {
  /** Resolves when stdout or stderr contains the text. */
  waitForText(text: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Signals the command and its ancestors, as a terminal does at Ctrl-C. Only with `npm`. */
  killGroup(signal: NodeJS.Signals): void;
  /** Closes the read end of stdout. */
  closeOutput(): void;
  ended: Promise<EndedProcess>;
};
export type CliOptions = {
  env?: Record<string, string>;
  cwd?: string;
  /** Text for stdin, which is closed afterwards. */
  input?: string;
  /** Starts the command by `npm run millrace` in a process group of its own. */
  npm?: boolean;
};

const program = fileURLToPath(new URL('../main.ts', import.meta.url));
const checkout = fileURLToPath(new URL('../../../..', import.meta.url));

/**
 * The environment contains only the given variables, PATH and the compile cache: the tests' own environment must not
 * leak into it.
 */
export function startMillrace(
  args: readonly string[],
  { env = {}, cwd, input, npm = false }: CliOptions = {},
): CliProcess {
  const [command, given] = npm
    ? ['npm', ['run', '-s', 'millrace', '--', ...args]]
    : [process.execPath, [program, ...args]];
  const child = spawn(command, given, {
    env: { PATH: process.env['PATH'], ...inheritedEnv(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: npm ? checkout : cwd,
    detached: npm,
  });
  child.stdin.end(input);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<EndedProcess>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  const until = async (text: string) =>
    void (await eventually(() => `${stdout}\n${stderr}`.includes(text), { timeoutMs: 10_000 }));
  return {
    waitForText: until,
    kill: (signal) => void child.kill(signal),
    killGroup: (signal) => void process.kill(-(child.pid ?? fail()), signal),
    closeOutput: () => child.stdout.destroy(),
    ended,
  };
}

function fail(): never {
  throw new Error('the process did not start');
}
