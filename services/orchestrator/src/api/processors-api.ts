// Implements the verb `processors`: the running processors and the rejected advertisements, as this orchestrator
// discovers them. Clients therefore need no right to ask the services themselves.
import type { ApiAnswer, ApiRequest, ClaimEvent, ProcessorInfo, RefusedEndpoint } from '@millrace/contracts';
import type { DiscoveredProcessor, Discovery } from '../peers/discovery.ts';
import type { ReadLoads } from '../peers/replica-loads.ts';

type ProcessorDiscovery = Pick<Discovery, 'getProcessors' | 'listRefused' | 'refresh'>;

export type ProcessorsParts = {
  discovery: ProcessorDiscovery;
  /** Size of the items of one answer, as JSON; an answer has at least one item. */
  maxBytes: number;
  /** Fails if the store of the events is unavailable. */
  readClaims: () => Promise<ClaimEvent[]>;
  readLoads: ReadLoads;
};

export function createProcessorsVerb({ discovery, maxBytes, readClaims, readLoads }: ProcessorsParts) {
  return async ({ limit, after, loads }: ApiRequest<'processors'>): Promise<ApiAnswer<'processors'>> => {
    // A caller may list a service that started a moment ago.
    await discovery.refresh();
    const refused = discovery.listRefused();
    const isFirst = after === undefined;
    const shown = isFirst ? takeWithin(refused, refused.length, maxBytes / 4) : [];
    const claims = isFirst ? await readClaims().catch(() => undefined) : undefined;
    const newest = claims && takeWithin(claims.toReversed(), claims.length, maxBytes / 4).toReversed();
    const asked = [...discovery.getProcessors().values()]
      .map(toProcessorInfo)
      .filter(({ id }) => after === undefined || id > after)
      .toSorted((one, other) => (one.id < other.id ? -1 : 1));
    const fitting = takeWithin(asked, limit, maxBytes / 2);
    const listed = fitting.length > 0 ? fitting : asked.slice(0, 1);
    const last = listed.at(-1);
    const next = last && listed.length < asked.length ? { next: last.id } : {};
    const processors = loads ? await readLoads(listed) : listed;
    return { processors, ...next, refused: shown, refusedTotal: refused.length, ...(newest && { claims: newest }) };
  };
}

/** Returns the first items that together fit. */
function takeWithin<T extends ClaimEvent | ProcessorInfo | RefusedEndpoint>(
  all: readonly T[],
  limit: number,
  maxBytes: number,
): T[] {
  let bytes = 0;
  const over = all.findIndex((one) => (bytes += Buffer.byteLength(JSON.stringify(one))) > maxBytes);
  return all.slice(0, Math.min(limit, over < 0 ? all.length : over));
}

function toProcessorInfo({ descriptor, service, replicas }: DiscoveredProcessor): ProcessorInfo {
  const { id, description, version, aliases, stages, reads, policy, optionsSchema } = descriptor;
  const own = { id, description, version, aliases, stages, reads, policy, optionsSchema };
  return { ...own, service, replicas: replicas.toSorted() };
}
