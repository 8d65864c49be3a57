// What every start* takes and answers.
import type { Program } from './found.ts';
import type { FindOptions } from './find-program.ts';

export interface StartOptions extends FindOptions {
  /** Client port; 0 or nothing: one that is free. */
  readonly port?: number;
  /** Gets the server's own log, appended; by default `<program>.log` in its directory. */
  readonly logFile?: string;
  /** Further lines for the server's configuration, in its own syntax, after ours. */
  readonly extraConfig?: string;
  /** The program to start, where it has been found before; otherwise it is looked for. */
  readonly program?: Program;
  /** How long the server may take until it answers, a large store included; 30 s by default. */
  readonly readyTimeoutMs?: number;
}

export interface RunningServer {
  readonly kind: 'running';
  /** Where clients connect, on 127.0.0.1. */
  readonly url: string;
  readonly pid: number;
  readonly version: string;
  /** Where the program came from: `PATH`, `release v2.15.1`, `Debian sid`. */
  readonly source: string;
  readonly logFile: string;
  /** SIGTERM, and SIGKILL after 5 s. Any number of calls; answers when the process is gone. */
  readonly stop: () => Promise<void>;
  /** The exit code, or null when a signal ended it. Resolves however the server ended. */
  readonly exited: Promise<number | null>;
}

export const defaultReadyTimeoutMs = 30_000;
