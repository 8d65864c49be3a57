// Reads the settings of a connection from the environment: its user, its key, TLS and the prefix of its inboxes. Services,
// clients and the command line read the same variables. The environment is an argument: only programs read it.
import { MillraceError } from '@millrace/contracts';
import { checkInboxPrefix } from './inbox.ts';
import { readConnectionFile } from './secret-file.ts';
import type { KeyOptions } from './user-key.ts';
import type { Env } from './resolve-address.ts';

/** Files in PEM format, read at each connection attempt. Without a CA: the certificate authorities of Node.js. */
export type BusTls = { caFile?: string; certFile?: string; keyFile?: string };

export type ConnectionSettings = KeyOptions & {
  user?: string;
  pass?: string;
  token?: string;
  /** Requires TLS. Without it, a connection uses TLS if the server offers it, and the address is not `tls://`. */
  tls?: BusTls;
  /** `_INBOX` and further tokens. Default: `_INBOX.<user>`. */
  inboxPrefix?: string;
};

/** Variables of a connection, in the order of the documentation. */
export const CONNECTION_VARIABLES = [
  'NATS_USER',
  'NATS_PASSWORD',
  'NATS_NKEY_FILE',
  'NATS_NKEY',
  'NATS_CREDS_FILE',
  'NATS_TLS',
  'NATS_TLS_CA_FILE',
  'NATS_TLS_CERT_FILE',
  'NATS_TLS_KEY_FILE',
  'NATS_INBOX_PREFIX',
] as const;

/** Reads the variables; an empty one counts as absent. @throws config-invalid with the name of the variable */
export function readConnectionSettings(env: Env): ConnectionSettings {
  const [user, pass, nkeyFile, nkeySeed, credsFile, tls, caFile, certFile, keyFile, inboxPrefix] =
    CONNECTION_VARIABLES.map((name) => env[name] || undefined);
  if (tls !== undefined && tls !== 'required') {
    throw new MillraceError('config-invalid', 'NATS_TLS has an unknown value.', {
      path: 'NATS_TLS',
      remedy: 'Set NATS_TLS to required, or leave it empty.',
    });
  }
  const files = omitAbsent({ caFile, certFile, keyFile });
  const settings = {
    ...(user !== undefined && { user, pass: pass ?? '' }),
    ...omitAbsent({ nkeyFile, nkeySeed, credsFile, inboxPrefix }),
    ...((tls !== undefined || Object.keys(files).length > 0) && { tls: files }),
  };
  checkSettings(settings);
  return settings;
}

/** @throws config-invalid if two identities are given, a file of TLS is unreadable, or the prefix is not of inboxes */
export function checkSettings(settings: ConnectionSettings): void {
  const { user, token, nkeySeed, nkeyFile, credsFile, tls, inboxPrefix } = settings;
  const hasKey = Boolean(nkeySeed || nkeyFile || credsFile);
  if (hasKey && (user !== undefined || token !== undefined)) {
    throw new MillraceError('config-invalid', 'The connection to NATS has a key, and a user or a token too.', {
      path: 'NATS_USER',
      remedy: 'Set NATS_NKEY_FILE, NATS_NKEY or NATS_CREDS_FILE; or NATS_USER and NATS_PASSWORD.',
    });
  }
  if (inboxPrefix !== undefined) checkInboxPrefix(inboxPrefix);
  if (tls) checkTls(tls);
}

function checkTls({ caFile, certFile, keyFile }: BusTls): void {
  if ((certFile === undefined) !== (keyFile === undefined)) {
    const [given, missing] =
      certFile === undefined
        ? ['NATS_TLS_KEY_FILE', 'NATS_TLS_CERT_FILE']
        : ['NATS_TLS_CERT_FILE', 'NATS_TLS_KEY_FILE'];
    throw new MillraceError('config-invalid', `${given} is set without ${missing}.`, {
      path: missing,
      remedy: 'Set both, if the server verifies the certificates of its clients; otherwise none.',
    });
  }
  if (caFile !== undefined) readConnectionFile(caFile, 'NATS_TLS_CA_FILE');
  if (certFile !== undefined) readConnectionFile(certFile, 'NATS_TLS_CERT_FILE');
  if (keyFile !== undefined) readConnectionFile(keyFile, 'NATS_TLS_KEY_FILE');
}

type GivenSettings<T> = { [K in keyof T]?: NonNullable<T[K]> };

function omitAbsent<T extends Record<string, string | undefined>>(values: T): GivenSettings<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only members that are present are kept
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as GivenSettings<T>;
}
