// Sessions of the console: a cookie with a random id in place of the API key. The store holds the key encrypted under
// the id, and the id only as a hash: a reader of the store learns neither.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { Identity } from '@millrace/contracts';
import type { SessionStore } from './session-store.ts';

/** Maximum age of a session, s. */
const SESSION_SECONDS = 12 * 3_600;
const ID_BYTES = 32;
const ID_PATTERN = /^[\w-]{43}$/;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const MS_PER_SECOND = 1_000;

export type Sessions = {
  /** Returns the id of a new session, which ends with the credential at the latest. */
  open(credential: string, identity: Identity): Promise<{ id: string; seconds: number }>;
  /** Returns the credential of a session, or undefined if the session is unknown or over. */
  read(id: string): Promise<string | undefined>;
  close(id: string): Promise<void>;
};

export function createSessions(store: SessionStore): Sessions {
  return {
    async open(credential, { expiresAt }) {
      const id = randomBytes(ID_BYTES).toString('base64url');
      const seconds = computeSecondsLeft(expiresAt);
      const owner = hash(`credential ${credential}`);
      await store.set(hash(`session ${id}`), { sealed: seal(id, credential), ttlSeconds: seconds, owner });
      return { id, seconds };
    },
    async read(id) {
      if (!ID_PATTERN.test(id)) return undefined;
      const sealed = await store.get(hash(`session ${id}`));
      return sealed === undefined ? undefined : unseal(id, sealed);
    },
    async close(id) {
      if (ID_PATTERN.test(id)) await store.delete(hash(`session ${id}`));
    },
  };
}

function computeSecondsLeft(expiresAt: string | undefined): number {
  if (expiresAt === undefined) return SESSION_SECONDS;
  const left = Math.floor((Date.parse(expiresAt) - Date.now()) / MS_PER_SECOND);
  return Math.max(1, Math.min(SESSION_SECONDS, left));
}

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url');

const deriveKey = (id: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', id, '', 'millrace console session', ID_BYTES));

function seal(id: string, text: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', deriveKey(id), iv);
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/** Returns undefined if the text was not sealed under this id. */
function unseal(id: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(id), bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
