// What every start* takes and answers.
import type { Program } from './found.ts';
import type { FindOptions } from './find-program.ts';

export type StartOptions = FindOptions & {
  /** Client port; 0 or nothing: one that is free. */
  port?: number;
  /** Gets the server's own log, appended; by default `<program>.log` in its directory. */
  logFile?: string;
  /** Further lines for the server's configuration, in its own syntax, after ours. */
  extraConfig?: string;
  /** The program to start, where it has been found before; otherwise it is looked for. */
  program?: Program;
  /** How long the server may take until it answers, a large store included; 30 s by default. */
  readyTimeoutMs?: number;
};

export type RunningServer = {
  kind: 'running';
  /** Where clients connect, on 127.0.0.1. */
  url: string;
  pid: number;
  version: string;
  /** Where the program came from: `PATH`, `release v2.15.1`, `Debian sid`. */
  source: string;
  logFile: string;
  /** SIGTERM, and SIGKILL after 5 s. Any number of calls; answers when the process is gone. */
  stop: () => Promise<void>;
  /** The exit code, or null when a signal ended it. Resolves however the server ended. */
  exited: Promise<number | null>;
};

export const DEFAULT_READY_TIMEOUT_MS = 30_000;
