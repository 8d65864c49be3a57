// Fetches the key set of the issuer. The address is configuration, and a redirect is an error. After a failure no request
// follows for a moment: otherwise each token with an unknown key would cause one.
import type { FetchImplementation } from 'jose';

const RETRY_AFTER_MS = 2_000;
/** A key set has a few kilobytes. */
const MAX_BYTES = 1024 * 1024;

/** @param now ms of a clock that never jumps */
export function createKeySetFetch(now: () => number = () => performance.now()): FetchImplementation {
  let failed: { at: number; error: unknown } | undefined;
  return async (url, options) => {
    if (failed && now() - failed.at < RETRY_AFTER_MS) throw failed.error;
    try {
      return await fetchBounded(url, options);
    } catch (error) {
      failed = { at: now(), error };
      throw error;
    }
  };
}

/** @throws for every status except 200, and for a longer answer than MAX_BYTES */
async function fetchBounded(...[url, options]: Parameters<FetchImplementation>): Promise<Response> {
  const answer = await fetch(url, { ...options, redirect: 'manual' });
  if (answer.status !== 200) throw new Error(`the answer has the status ${answer.status}`);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of answer.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new Error(`the answer has more than ${MAX_BYTES} bytes`);
    parts.push(part);
  }
  return new Response(Buffer.concat(parts), { status: 200 });
}
