// One file over HTTP, to disk, with its SHA-256. A server that does not answer, or stops in the middle, is given up after a
// bounded time, so that a machine without a way out moves on at once. Redirects are followed, proxies are Node's business
// (NODE_USE_ENV_PROXY).
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

const MAX_ARCHIVE_BYTES = 500 * 1024 * 1024;

export type DownloadOptions = {
  /** From the request to the headers of the answer. */
  connectTimeoutMs: number;
  /** Between two pieces of the body. */
  stallTimeoutMs: number;
  signal: AbortSignal | undefined;
  /** Called when the server starts to send the file. */
  onAnswer?: () => void;
};

type DownloadResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: string };

/** Writes the body to `path` and answers its SHA-256 in lower-case hexadecimal. */
export function downloadFile(url: string, path: string, options: DownloadOptions): Promise<DownloadResult<string>> {
  return receive(url, MAX_ARCHIVE_BYTES, options, async (body) => {
    const hash = createHash('sha256');
    await pipeline(
      body,
      async function* (pieces: AsyncIterable<Uint8Array>) {
        for await (const piece of pieces) {
          hash.update(piece);
          yield piece;
        }
      },
      createWriteStream(path),
    );
    return hash.digest('hex');
  });
}

async function receive<T>(
  url: string,
  maxBytes: number,
  options: DownloadOptions,
  read: (body: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<DownloadResult<T>> {
  const { connectTimeoutMs, stallTimeoutMs, signal, onAnswer } = options;
  const giveUp = new AbortController();
  let silence = setTimeout(() => giveUp.abort(new Error(`no answer within ${connectTimeoutMs} ms`)), connectTimeoutMs);
  try {
    const response = await fetch(url, {
      signal: signal === undefined ? giveUp.signal : AbortSignal.any([signal, giveUp.signal]),
    });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      return { ok: false, failure: `${url} answered ${response.status}` };
    }
    onAnswer?.();
    const pieces = response.body;
    const watchChunks = async function* () {
      let bytes = 0;
      for await (const piece of pieces) {
        clearTimeout(silence);
        silence = setTimeout(() => giveUp.abort(new Error(`stalled for ${stallTimeoutMs} ms`)), stallTimeoutMs);
        bytes += piece.length;
        if (bytes > maxBytes) throw new Error(`is larger than ${maxBytes} bytes`);
        yield piece;
      }
    };
    return { ok: true, value: await read(watchChunks()) };
  } catch (error) {
    signal?.throwIfAborted();
    return { ok: false, failure: `${url}: ${findRootMessage(error)}` };
  } finally {
    clearTimeout(silence);
  }
}

// fetch reports "fetch failed" and keeps the reason in the cause.
function findRootMessage(error: unknown): string {
  let root = error;
  while (root instanceof Error && root.cause !== undefined) root = root.cause;
  return root instanceof Error ? root.message || root.name : String(root);
}
