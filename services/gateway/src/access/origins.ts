// Decides which web pages and host names may reach the gateway. A page of another site must not use a gateway on the
// loopback address by a name of its own that resolves to it (DNS rebinding).
import { MillraceError } from '@millrace/contracts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

export type OriginRules = { hosts: readonly string[]; origins: readonly string[] };

/** @throws origin-refused */
export function checkOrigin(request: Request, { hosts, origins }: OriginRules): void {
  const named = request.headers.get('host') ?? new URL(request.url).host;
  if (!isAcceptedHost(readHostname(named), hosts))
    throw new MillraceError('origin-refused', `The gateway does not serve the host "${named.slice(0, 200)}".`, {
      remedy: 'Add its name to GATEWAY_HOSTS of the gateway.',
    });
  const origin = request.headers.get('origin');
  if (origin !== null && !isAcceptedOrigin(origin, named, origins))
    throw new MillraceError('origin-refused', `The gateway does not serve pages of ${origin.slice(0, 200)}.`, {
      remedy: 'Add the origin to GATEWAY_ORIGINS of the gateway.',
    });
}

const isAcceptedHost = (hostname: string | undefined, hosts: readonly string[]): boolean =>
  hostname !== undefined && (LOOPBACK.has(hostname) || hosts.includes('*') || hosts.includes(hostname));

/** Accepts a page of the gateway itself, and the configured origins. */
export const isAcceptedOrigin = (origin: string, host: string, origins: readonly string[]): boolean =>
  origins.includes(origin) || isOriginOfHost(origin, host);

/** Compares whole origins: pages of other schemes, such as those of apps, may have the same host. */
export const isOriginOfHost = (origin: string, host: string): boolean =>
  origin === `http://${host}` || origin === `https://${host}`;

const readHostname = (host: string): string | undefined =>
  URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : undefined;
