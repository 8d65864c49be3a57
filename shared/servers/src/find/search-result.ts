// Results of a search for a server. A missing server is a value: without Redis or Qdrant the caller uses the embedded
// stores and logs the reason.

/** The environment names a server: nothing is started, and nothing of ours ends it. */
export type External = {
  kind: 'external';
  url: string;
  /** The variable that gave the address. */
  source: string;
};

/** A program on this machine that ran and reported a recent version. */
export type Program = {
  kind: 'program';
  path: string;
  version: string;
  /** Source of the program, for display: `PATH`, `release v2.15.1`, `Debian sid package`. */
  source: string;
  /** Directories for LD_LIBRARY_PATH; empty for most. */
  libraryDirs: readonly string[];
};

export type Unavailable = {
  kind: 'unavailable';
  /** One sentence that names every way that was tried and why it did not do. */
  reason: string;
};

export type FoundServer = External | Program | Unavailable;

export function createUnavailable(reason: string): Unavailable {
  return { kind: 'unavailable', reason };
}
