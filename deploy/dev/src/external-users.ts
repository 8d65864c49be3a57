// Decides which users the services have on an external NATS: those that its environment names, those of the stack's own
// folder of keys, or none.
import { hideAddressParts } from '@millrace/contracts';
import { probeUsers, readConnectionSettings, type ProbedUsers } from '@millrace/identity';

/** given: address or environment contain an identity. */
type ExternalUsers = ProbedUsers | 'given';

/** @throws config-invalid for contradicting variables of the connection */
export async function findExternalUsers(
  url: string,
  keys: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ExternalUsers> {
  const { tls, inboxPrefix, ...identity } = readConnectionSettings(env);
  if (Object.keys(identity).length > 0 || hideAddressParts(url) !== url) return 'given';
  return probeUsers(url, keys, { ...(tls && { tls }), ...(inboxPrefix !== undefined && { inboxPrefix }) });
}

const FOUND = {
  given: 'has the user that the environment names',
  none: 'accepts any connection',
  refused: 'has other users than this stack',
} as const;

/**
 * Returns the lines for the terminal. An include is relative to the folder of the configuration, also with a whole path. No
 * lines if the server has the users already, or does not answer.
 */
export function describeExternalUsers(users: ExternalUsers, url: string, usersFile: string): string[] {
  if (users === 'known' || users === 'unreachable') return [];
  const without = users === 'given' ? ', unset its credentials here' : '';
  return [
    `NATS at ${hideAddressParts(url)} ${FOUND[users]}. To give each service a user with the permissions of its role,`,
    `copy ${usersFile} into the folder of the server's configuration, add the line`,
    `  include "users.conf"`,
    `there, restart the server${without}, and run npm start again.`,
  ];
}
