// Stores and lists the claims: events about a second service that advertised the name of a processor or tool. They
// belong to no run, and outlast that service.
import { COMMON_VERSION, claimEventSchema, type ClaimEvent, type RefusedEndpoint } from '@millrace/contracts';
import { publishDurably, type JetStreamAccess } from '@millrace/bus';
import { createHash } from 'node:crypto';
import { readPages } from '../streams/read-stored.ts';

/** A claim that lasts is stored once in this time by each orchestrator. */
const REPEAT_MS = 3_600_000;
/** Maximum number of claims that an orchestrator stores within `REPEAT_MS`: a service may advertise any number of names. */
const MAX_STORED = 100;
/** Maximum number of listed claims. */
const MAX_LISTED = 100;

type StoredClaim = Omit<ClaimEvent, 'at' | 'event'>;

/**
 * Returns a function that stores the claims among rejected advertisements. The server drops the copies of other
 * orchestrators, because the id of the message is that of the claim.
 */
export function createClaimLog(access: JetStreamAccess): (refused: readonly RefusedEndpoint[]) => void {
  const { bus } = access;
  const stored = new Map<string, number>();
  const store = async (id: string, claim: StoredClaim) => {
    const event: ClaimEvent = { event: 'claim', at: new Date().toISOString(), ...claim };
    try {
      await publishDurably(access, bus.subjects.claims, { v: COMMON_VERSION, ...event }, id, { once: true });
    } catch (error) {
      // The next look stores it.
      stored.delete(id);
      bus.log.warn({ ...claim, error: String(error) }, 'claim of a served name was not stored');
    }
  };
  return (refused) => {
    const now = performance.now();
    for (const [id, at] of stored) if (now - at > REPEAT_MS) stored.delete(id);
    for (const { service, name, owner } of refused) {
      if (owner === undefined) continue;
      const id = createHash('sha256')
        .update(JSON.stringify(['claim', service, name, owner]))
        .digest('base64url');
      if (stored.has(id) || stored.size >= MAX_STORED) continue;
      stored.set(id, now);
      void store(id, { name, service, owner });
    }
  };
}

/** Lists the newest claims, oldest first. @throws errors of JetStream */
export async function listClaims(access: JetStreamAccess): Promise<ClaimEvent[]> {
  const { names, subjects } = access.bus;
  const claims: ClaimEvent[] = [];
  for await (const page of readPages(access, {
    stream: names.events,
    subject: subjects.claims,
    schema: claimEventSchema,
  })) {
    claims.push(...page.map(({ value }) => value));
    claims.splice(0, claims.length - MAX_LISTED);
  }
  return claims;
}
