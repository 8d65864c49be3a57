// The error of this package for a required server. An optional one (Redis, Qdrant, a newer package) is a value instead:
// see search-result.ts.

/**
 * - `server-unavailable`: no program could be found or fetched; the message names every way that was tried.
 * - `store-in-use`: a live process already runs a server on this directory.
 * - `start-failed`: the program ended, or was not ready in time; the message ends with what it wrote last.
 * - `stop-failed`: the process is still there after SIGKILL.
 */
export type ServerErrorCode = 'server-unavailable' | 'store-in-use' | 'start-failed' | 'stop-failed';

export class ServerError extends Error {
  code: ServerErrorCode;

  constructor(code: ServerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ServerError';
    this.code = code;
  }
}
