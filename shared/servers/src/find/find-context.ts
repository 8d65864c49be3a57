// Context of every step of a search.
import type { ServerHost } from '../process/host.ts';

/** Takes one line of progress, without a line break. */
export type LogLineSink = (line: string) => void;

export type FindContext = {
  host: ServerHost;
  cacheDir: string;
  /** Replaces https://github.com, without a trailing slash. */
  releasesUrl: string;
  log: LogLineSink;
  /** How long a server of releases may take to answer before the next way is tried. */
  connectTimeoutMs: number;
  /** Maximum pause within a download. */
  stallTimeoutMs: number;
  signal: AbortSignal | undefined;
};
