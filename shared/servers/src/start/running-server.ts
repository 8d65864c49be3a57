// Options and results of every start*.
import type { Program } from '../find/search-result.ts';
import type { FindOptions } from '../find/find-program.ts';

export type StartServerOptions = FindOptions & {
  /** Client port; 0 or nothing: one that is free. */
  port?: number;
  /** Gets the server's own log, appended; by default `<program>.log` in its directory. */
  logFile?: string;
  /** Further lines for the server's configuration, in its own syntax, after ours. */
  extraConfig?: string;
  /** The program to start, if it was found before; otherwise it is searched. */
  program?: Program;
  /** How long the server may take until it answers, a large store included; 30 s by default. */
  readyTimeoutMs?: number;
};

export type RunningServer = {
  kind: 'running';
  /** Address for clients, on 127.0.0.1. */
  url: string;
  pid: number;
  version: string;
  /** Source of the program: `PATH`, `release v2.15.1`, `Debian sid`. */
  source: string;
  logFile: string;
  /** Sends SIGTERM, and SIGKILL after 5 s. Idempotent; resolves when the process has ended. */
  stop: () => Promise<void>;
  /** The exit code, or null when a signal ended it. Resolves however the server ended. */
  exited: Promise<number | null>;
};

export const DEFAULT_READY_TIMEOUT_MS = 30_000;
