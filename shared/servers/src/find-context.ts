// What every step of a search is handed.
import type { Host } from './host.ts';

/** Takes one line of progress, without a line break. */
export type Log = (line: string) => void;

export type FindContext = {
  host: Host;
  cacheDir: string;
  /** Stands for https://github.com, without a slash at its end. */
  releasesUrl: string;
  log: Log;
  /** How long a server of releases may take to answer before the next way is tried. */
  connectTimeoutMs: number;
  /** How long a download may stand still. */
  stallTimeoutMs: number;
  signal: AbortSignal | undefined;
};
