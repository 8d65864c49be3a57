// Writes the users of NATS as a configuration file that nats.conf includes: a public key and permissions for each role,
// the auth callout for all other connections, and the user of the system account that ends connections. The file holds
// no secret.
import { buildInboxPrefix } from '@millrace/bus';
import type { Subjects } from '@millrace/contracts';
import type { CalloutKeys } from './callout-keys.ts';
import { ROLES, permitSystem, type Permissions } from './permissions.ts';

/** Time for which a replica may answer a request; a stage call or tool call that takes longer is lost. */
export const ANSWER_WITHIN = '15m';

/**
 * @param keys public key by role; a role without one has no user
 * @param callout absent: NATS refuses every connection without a role
 */
export function writeNatsUsers(
  subjects: Subjects,
  keys: Readonly<Record<string, string>>,
  callout?: CalloutKeys,
): string {
  const users = ROLES.flatMap((role) => {
    const key = keys[role.name];
    return key === undefined ? [] : [writeUser(role.name, key, role.permissions(subjects))];
  });
  const head =
    '# Written by `millrace keys`, which replaces it: the users of NATS with their permissions, no secrets.\n';
  const more = callout ? writeCallout(callout, Object.values(keys)) : '';
  const system = callout ? writeSystemAccount(callout.system) : '';
  return `${head}authorization {\n  users = [\n${users.join(',\n')}\n  ]\n${more}}\n${system}`;
}

/** NATS asks auth about every connection of a user outside of `auth_users`. */
function writeCallout({ issuer, encryption, system }: CalloutKeys, roles: readonly string[]): string {
  const bypassing = [...roles, system].map((key) => `      ${JSON.stringify(key)}`);
  return `  auth_callout {
    issuer: ${issuer}
    xkey: ${encryption}
    auth_users = [
${bypassing.join(',\n')}
    ]
  }
`;
}

function writeSystemAccount(key: string): string {
  return `accounts {\n  $SYS {\n    users = [\n${writeUser('auth', key, permitSystem())}\n    ]\n  }\n}\n`;
}

function writeUser(role: string, key: string, permissions: Permissions): string {
  return `    # ${role}\n    ${JSON.stringify({ nkey: key, permissions: describePermissions(key, permissions) })}`;
}

/** The form of nats-server: the permissions of the role, and the inboxes of the user. */
export function describePermissions(user: string, { publish, subscribe, answers }: Permissions) {
  const inboxes = `${buildInboxPrefix(user)}.>`;
  return {
    // nats-server reads an empty list as a permission for every subject.
    publish: publish.allow.length > 0 ? publish : { deny: ['>'] },
    subscribe: { ...subscribe, allow: [...subscribe.allow, inboxes] },
    // The number of answers is unlimited, because progress is an answer too.
    ...(answers && { allow_responses: { max: -1, expires: ANSWER_WITHIN } }),
  };
}
