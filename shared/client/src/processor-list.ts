// Reads the list of processors page by page.
import type { ApiAnswer, ClaimEvent, ProcessorInfo, RefusedEndpoint } from '@millrace/contracts';
import type { AskApi } from './connection.ts';

export type ProcessorList = {
  /** Sorted by name. */
  processors: ProcessorInfo[];
  /** Rejected advertisements: no agent can use them. */
  refused: RefusedEndpoint[];
  /** Number of rejected advertisements, also of those that `refused` omits. */
  refusedTotal: number;
  /** Services that advertised a served name in the last days; absent: the store of the events is unavailable. */
  claims?: ClaimEvent[];
};

/** @param loads asks each replica for its load: calls under way, requests, errors, duration */
export async function collectProcessors(ask: AskApi, loads = false): Promise<ProcessorList> {
  const first = await ask('processors', { loads });
  const { refused, refusedTotal, claims } = first;
  const processors = [...first.processors];
  let page: ApiAnswer<'processors'> = first;
  while (page.next !== undefined) {
    const after = page.next;
    page = await ask('processors', { after, loads });
    processors.push(...page.processors);
    // A page that does not advance would repeat for ever.
    if (page.next !== undefined && page.next <= after) break;
  }
  return { processors, refused, refusedTotal, ...(claims && { claims }) };
}
