// The rights of one request: its identity, its scopes, and the client of the caller for which it acts.
import { createHash } from 'node:crypto';
import type { Bus } from '@millrace/bus';
import { attachClient, type Client } from '@millrace/client';
import { MillraceError, type Identity, type KeyBudget, type Scope } from '@millrace/contracts';

export type Access = {
  identity: Identity;
  /** Name under which limits count: the key, or the subject of a token. */
  account: string;
  /** Subject for which the request acts. Absent: an operator. */
  subject: string | undefined;
  /** Returns the client of the caller, limited to the agents of the key. @throws scope-missing */
  connectClient(): Promise<Client>;
  /** Returns the client of an operator of the tenant. Default scope: operate. @throws scope-missing */
  connectOperator(scope?: 'operate' | 'admin'): Promise<Client>;
  /** @throws scope-missing */
  require(scope: Scope): void;
  /** The caller may use an agent of this name: other agents do not exist for it. */
  mayUse(agent: string): boolean;
  /** Returns the same rights on behalf of another subject, if the key has the scope act-as; otherwise this. */
  actAs(subject: string | undefined): Access;
};

/**
 * Bounds of the buffer of one stream. A client that lags behind is cut off, and rejoins after the last chunk that it has
 * received.
 */
const KEPT = { chunks: 4_096, bytes: 8 * 1024 * 1024 };

/** Verbs of these scopes return data of every agent. */
const OPERATOR_SCOPES: ReadonlySet<Scope> = new Set(['operate', 'admin']);

/** Returns the limits of money of a key. The account is the account of the other limits, hashed to a token. */
function createKeyBudget({ tenant, subject = '', keyId, limits }: Identity): KeyBudget | undefined {
  const { costPerDay: day, costPerMonth: month } = limits ?? {};
  if (day === undefined && month === undefined) return undefined;
  const account = createHash('sha256')
    .update(JSON.stringify([tenant, keyId ?? subject, keyId === undefined]))
    .digest('base64url');
  return { account, ...(day !== undefined && { day }), ...(month !== undefined && { month }) };
}

/** @param bus connection of the gateway, which has the permissions of every caller */
export function createAccess(bus: Bus, identity: Identity, actingFor = identity.subject): Access {
  const { tenant, scopes, agents, keyId } = identity;
  const budget = createKeyBudget(identity);
  const access: Access = {
    identity,
    account: keyId ?? `${tenant} ${identity.subject ?? ''}`,
    subject: actingFor,
    async connectClient() {
      if (actingFor !== undefined) return attachClient(bus, { tenant, subject: actingFor, kept: KEPT, agents, budget });
      // A key without a subject acts as an operator only if it may.
      access.require('operate');
      return attachClient(bus, { tenant, kept: KEPT, budget });
    },
    async connectOperator(scope = 'operate') {
      access.require(scope);
      return attachClient(bus, { tenant, kept: KEPT, budget });
    },
    require(scope) {
      if (agents !== undefined && OPERATOR_SCOPES.has(scope))
        throw new MillraceError(
          'scope-missing',
          'A credential that is limited to agents has no rights of an operator.',
          {
            remedy: 'Use a key without a list of agents.',
          },
        );
      if (scopes.includes(scope)) return;
      throw new MillraceError('scope-missing', `The credential does not have the scope "${scope}".`, {
        remedy: `Use a key with this scope: millrace api-keys create --scopes ${scope}`,
      });
    },
    mayUse: (agent) => agents === undefined || agents.includes(agent),
    actAs: (subject) =>
      subject !== undefined && scopes.includes('act-as') ? createAccess(bus, identity, subject) : access,
  };
  return access;
}
