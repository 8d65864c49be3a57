// Gives the calls of one model answer ids that differ, because clients match a result to its call by the id.
import type { ModelPart } from './prompt.ts';

/** Calls that the provider sent with one id. */
type SameCalls = { begun: string[]; last?: string };

/**
 * Returns a function for the parts of one answer. A call without an id, and a further call with an id that the answer contains already, gets an
 * id of its own. Of calls with one id, a call follows the parts of its arguments, and calls follow one another in the order of their
 * starts; pieces belong to the last start, and a result to the last call.
 */
export function createCallNamer(): (part: ModelPart) => ModelPart {
  const sent = new Map<string, SameCalls>();
  const begin = (id: string): string => {
    const isNew = id !== '' && !sent.has(id);
    const own = isNew ? id : `call_${crypto.randomUUID()}`;
    const calls = sent.get(id) ?? { begun: [] };
    calls.begun.push(own);
    sent.set(id, calls);
    return own;
  };
  const findBegun = (id: string) => sent.get(id)?.begun.at(-1) ?? sent.get(id)?.last ?? begin(id);
  const takeNext = (id: string): string => {
    const own = sent.get(id)?.begun[0] ?? begin(id);
    sent.set(id, { begun: sent.get(id)?.begun.slice(1) ?? [], last: own });
    return own;
  };
  return (part) => {
    switch (part.type) {
      case 'tool-input-start':
        return { ...part, id: begin(part.id) };
      case 'tool-input-delta':
      case 'tool-input-end':
        return { ...part, id: findBegun(part.id) };
      case 'tool-call':
        return { ...part, toolCallId: takeNext(part.toolCallId) };
      case 'tool-result':
      case 'tool-approval-request':
        return { ...part, toolCallId: sent.get(part.toolCallId)?.last ?? part.toolCallId };
      default:
        return part;
    }
  };
}
