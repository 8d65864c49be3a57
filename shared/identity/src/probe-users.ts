// Finds out whether an external NATS has the users of a folder of keys.
import { connectBus, type Bus, type ConnectionSettings } from '@millrace/bus';
import { MillraceError } from '@millrace/contracts';
import { locateCalloutKeyFile } from './callout-keys.ts';

/**
 * known: the server accepts the newest key of the folder, that of auth in the system account. none: it accepts any connection. refused: it has other users.
 * unreachable: it does not answer, or not over TLS.
 */
export type ProbedUsers = 'known' | 'none' | 'refused' | 'unreachable';

/** Longer than a connection over TLS takes. */
const PROBE_MS = 3_000;

/** @param settings TLS of the connection, and no identity */
export async function probeUsers(
  servers: string,
  folder: string,
  settings: Pick<ConnectionSettings, 'tls' | 'inboxPrefix'> = {},
): Promise<ProbedUsers> {
  try {
    // An include of an earlier version has the other users, and neither the callout nor this one.
    const nkeyFile = locateCalloutKeyFile(folder, 'system');
    const bus = await connectBus({ ...settings, servers, name: 'probe', nkeyFile, connectTimeoutMs: PROBE_MS });
    try {
      return (await isRestricted(bus)) ? 'known' : 'none';
    } finally {
      await bus.close();
    }
  } catch (error) {
    return MillraceError.isInstance(error) && error.code === 'credentials-refused' ? 'refused' : 'unreachable';
  }
}

/**
 * Subscribes to a subject that no role may have. A server without users, or with `no_auth_user`, accepts every key and every
 * subject.
 */
async function isRestricted({ nc }: Bus): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<true>();
  const probe = nc.subscribe(`probe.${crypto.randomUUID()}`, {
    callback: (error) => void (error && resolve(true)),
  });
  // The refusal precedes the answer to the flush.
  const isRefused = await Promise.race([promise, nc.flush().then(() => false)]);
  probe.unsubscribe();
  return isRefused;
}
