// A command's process, for tests of single modules: what was written, in order.
import { Readable } from 'node:stream';
import type { Env } from '@millrace/bus';
import type { CliIo } from '../cli-io.ts';
import { readInput } from '../read-input.ts';
import { runCli } from '../run-cli.ts';

export type RecordedOptions = {
  isTerminal?: boolean;
  env?: Env;
  cwd?: string;
  /** Absent: a terminal. */ input?: string;
};
export type Recorded = { io: CliIo; out(): string; err(): string };

export function recordedIo({ isTerminal = false, env = {}, cwd = '/', input }: RecordedOptions = {}): Recorded {
  const written = { out: '', err: '' };
  const output = (to: 'out' | 'err') => ({ write: (text: string) => void (written[to] += text), isTerminal });
  const io: CliIo = {
    env,
    cwd,
    stdin: {
      isTerminal: input === undefined,
      read: (maxBytes) => readInput(Readable.from([input ?? '']), maxBytes),
    },
    stdout: output('out'),
    stderr: output('err'),
    onOutputClosed: () => () => undefined,
    onInterrupt: () => () => undefined,
    leave: () => undefined,
  };
  return { io, out: () => written.out, err: () => written.err };
}

/** The command without a process of its own: some twenty times as fast as with one. */
export async function millrace(args: readonly string[], options?: RecordedOptions) {
  const { io, out, err } = recordedIo(options);
  const code = await runCli(args, io);
  return { code, stdout: out(), stderr: err() };
}
