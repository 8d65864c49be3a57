// Abstracts the process for the commands: main.ts passes it in, and no other module accesses the process.
import type { Env } from '@millrace/bus';

export type LineReader = {
  /** Prints the prompt, and returns the next line; undefined at the end of the input. */
  ask(prompt: string): Promise<string | undefined>;
  close(): void;
};

type Output = { write(text: string): void; isTerminal: boolean };
export type CliIo = {
  env: Env;
  cwd: string;
  stdin: {
    isTerminal: boolean;
    /** Reads stdin to its end, for `command`. @throws UsageError if the input exceeds maxBytes */
    read(maxBytes: number, command: string): Promise<string>;
    /** Reads stdin line by line from now on. */
    openLines(): LineReader;
  };
  stdout: Output;
  stderr: Output;
  /**
   * Calls the handler once when the reader of stdout closes the pipe, instead of ending the process, until the returned
   * function is called.
   */
  onOutputClosed(handle: () => void): () => void;
  /**
   * Calls the handler at each Ctrl-C (SIGINT) or SIGTERM, instead of ending the process, until the returned function is
   * called.
   */
  onInterrupt(handle: () => void): () => void;
  /** Exits at once. */
  leave(code: number): void;
};

export const writeLine = (io: CliIo, text: string): void => io.stdout.write(`${text}\n`);
export const note = (io: CliIo, text: string): void => io.stderr.write(`${text}\n`);
export const writeJson = (io: CliIo, value: unknown): void => writeLine(io, JSON.stringify(value, null, 2));
