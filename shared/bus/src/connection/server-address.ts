// A NATS address as it is configured: one or several servers with commas between them, credentials before an @. The driver does
// not read credentials out of an address, so they are taken out here, for services and clients alike.
import { MillraceError, hideAddressParts } from '@millrace/contracts';

type Credentials = { user?: string; pass?: string; token?: string };
export type ServerAddress = { servers: string[] } & Credentials;

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;
const SCHEMES = ['nats', 'tls'];
const ADDRESS = /^(?<scheme>[a-z][a-z0-9+.-]*:\/\/)?(?<auth>.*)@(?<host>[^@]*)$/is;

/**
 * Takes `nats://user:password@host:port` and `nats://token@host:port` apart. A connection has one identity: an address without
 * credentials shares that of the others.
 * @throws config-invalid for a scheme of another protocol, and when two addresses name different credentials
 */
export function parseServerAddress(addresses: string): ServerAddress {
  const parts = addresses.split(',').map((address) => splitAddress(address.trim()));
  for (const { server } of parts) checkScheme(server);
  const named = parts.flatMap(({ credentials }) => credentials ?? []);
  const [first = {}] = named;
  if (named.some((other) => JSON.stringify(other) !== JSON.stringify(first))) {
    throw new MillraceError('config-invalid', `${hideAddressParts(addresses)} names different credentials.`, {
      path: 'NATS_URL',
      remedy: 'A connection has one user: put the same credentials into each address, or into the first alone.',
    });
  }
  return { servers: parts.map(({ server }) => server), ...first };
}

function checkScheme(server: string): void {
  const [, scheme] = SCHEME.exec(server) ?? [];
  if (scheme === undefined || SCHEMES.includes(scheme.toLowerCase())) return;
  throw new MillraceError(
    'config-invalid',
    `The address of NATS begins with ${scheme}://, which is no scheme of NATS.`,
    {
      path: 'NATS_URL',
      remedy: 'Begin NATS_URL with nats://, or with tls:// to require TLS.',
    },
  );
}

function splitAddress(address: string): { server: string; credentials?: Credentials } {
  const { scheme = '', auth = '', host = '' } = ADDRESS.exec(address)?.groups ?? {};
  if (host === '') return { server: address };
  const colon = auth.indexOf(':');
  const credentials =
    colon < 0
      ? { token: decodeComponent(auth) }
      : { user: decodeComponent(auth.slice(0, colon)), pass: decodeComponent(auth.slice(colon + 1)) };
  return { server: `${scheme}${host}`, credentials };
}

/** A password that was not encoded may hold a percent sign of its own. */
function decodeComponent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
