// Creates the tokens of reply subjects. A token is random, so that a process that serves one request cannot publish a
// reply to another one. Random bytes are drawn and encoded in pools: one draw for each token costs twenty times more.
import { randomFillSync } from 'node:crypto';

/** 96 bits, as 16 characters of base64url. */
const TOKEN_BYTES = 12;
const TOKEN_CHARACTERS = 16;
const TOKENS_PER_POOL = 256;

/** Returns a function that returns a new token with each call. */
export function createReplyTokens(): () => string {
  const bytes = Buffer.alloc(TOKEN_BYTES * TOKENS_PER_POOL);
  let pool = '';
  let at = 0;
  return () => {
    if (at === pool.length) {
      pool = randomFillSync(bytes).toString('base64url');
      at = 0;
    }
    const token = pool.slice(at, at + TOKEN_CHARACTERS);
    at += TOKEN_CHARACTERS;
    return token;
  };
}
