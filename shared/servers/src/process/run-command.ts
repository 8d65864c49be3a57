// Runs a program to its end and returns its output. Bounded in time and output; arguments are a list, without a shell.
import { spawn } from 'node:child_process';

const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

export type CommandOptions = {
  env: NodeJS.ProcessEnv;
  timeoutMs: number;
  cwd?: string;
  signal?: AbortSignal | undefined;
};

/** `ok` is an exit with 0. `failure` is one line with the problem otherwise. */
export type CommandResult =
  | { readonly ok: true; readonly stdout: string; readonly stderr: string }
  | { readonly ok: false; readonly failure: string; readonly stderr: string };

export async function runCommand(
  program: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  options.signal?.throwIfAborted();
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: options.env,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const stdout = collect(child.stdout);
  const stderr = collect(child.stderr);
  let stoppedBecause: string | undefined;
  const kill = (reason: string) => {
    stoppedBecause ??= reason;
    child.kill('SIGKILL');
    // A grandchild may hold the pipes open after the kill; "close" would never be emitted then.
    child.stdout.destroy();
    child.stderr.destroy();
  };
  const timer = setTimeout(() => kill(`did not end within ${options.timeoutMs} ms`), options.timeoutMs);
  const onAbort = () => kill('was cancelled');
  options.signal?.addEventListener('abort', onAbort, { once: true });

  const ended = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signalName) => {
      resolve(code === 0 ? undefined : signalName === null ? `exit code ${code}` : `ended by ${signalName}`);
    });
  });
  clearTimeout(timer);
  options.signal?.removeEventListener('abort', onAbort);
  options.signal?.throwIfAborted();

  const failure = stoppedBecause ?? ended;
  if (failure === undefined) return { ok: true, stdout: stdout(), stderr: stderr() };
  const lastLine = takeLastLine(stderr()) ?? takeLastLine(stdout());
  return { ok: false, failure: lastLine === undefined ? failure : `${failure}: ${lastLine}`, stderr: stderr() };
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    if (bytes < MAX_OUTPUT_BYTES) chunks.push(chunk);
    bytes += chunk.length;
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

function takeLastLine(text: string): string | undefined {
  return text.trim().split('\n').at(-1)?.trim() || undefined;
}
