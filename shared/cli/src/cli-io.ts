// What the command needs of its process: handed in by main.ts, so that nothing below it touches the process.
import type { Env } from '@millrace/bus';

type Output = { write(text: string): void; isTerminal: boolean };
export type CliIo = {
  env: Env;
  cwd: string;
  stdin: {
    isTerminal: boolean;
    /** All of it. @throws UsageError when it is longer than that */
    read(maxBytes: number): Promise<string>;
  };
  stdout: Output;
  stderr: Output;
  /** Called once, when whoever read stdout went away, instead of the process's end, until the returned function is called. */
  onOutputClosed(handle: () => void): () => void;
  /** Called at each Ctrl-C (SIGINT) or SIGTERM, instead of the process's end, until the returned function is called. */
  onInterrupt(handle: () => void): () => void;
  /** At once. */
  leave(code: number): void;
};

export const say = (io: CliIo, text: string): void => io.stdout.write(`${text}\n`);
export const note = (io: CliIo, text: string): void => io.stderr.write(`${text}\n`);
export const sayJson = (io: CliIo, value: unknown): void => say(io, JSON.stringify(value, null, 2));
