// The cookie of a session: HttpOnly, so that no script reads it, and SameSite=Strict. A cookie counts only in a request of
// a page of this gateway: SameSite ignores ports, so a page of another port of the same host could send it, too.
import { MillraceError } from '@millrace/contracts';
import { isOriginOfHost } from '../access/origins.ts';

const NAME = 'millrace_session';
const READING = new Set(['GET', 'HEAD']);

export function readSessionId(headers: Headers): string | undefined {
  for (const part of (headers.get('cookie') ?? '').split(';')) {
    const [name = '', value = ''] = part.trim().split('=', 2);
    if (name === NAME && value !== '') return value;
  }
  return undefined;
}

/** @param seconds 0 removes the cookie */
export function writeSessionCookie(id: string, seconds: number, isSecure: boolean): string {
  return `${NAME}=${id}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
}

/** Returns true if the browser reached the gateway over TLS, which a proxy ends. */
export const isSecureOrigin = (headers: Headers): boolean => (headers.get('origin') ?? '').startsWith('https://');

/**
 * Accepts requests of pages of this gateway only. Browsers send Origin with every request that changes state, and
 * Sec-Fetch-Site with every request over a trustworthy connection.
 * @throws origin-refused
 */
export function checkSameOrigin({ method, headers }: Pick<Request, 'method' | 'headers'>): void {
  const site = headers.get('sec-fetch-site');
  const isReading = READING.has(method);
  const isSameSite = site === null || site === 'same-origin' || (site === 'none' && isReading);
  const origin = headers.get('origin');
  const isSameOrigin = origin === null ? isReading : isOriginOfHost(origin, headers.get('host') ?? '');
  if (isSameSite && isSameOrigin) return;
  throw new MillraceError('origin-refused', 'A session serves the pages of its own gateway only.', {
    remedy: 'Send the API key as Authorization: Bearer.',
  });
}
