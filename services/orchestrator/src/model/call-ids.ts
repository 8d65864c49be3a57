// Gives the calls of a run ids that differ, because clients match a result to its call by the id. Some providers count the calls of each
// answer from zero.
import type { RunState } from '@millrace/contracts';
import type { ModelPart } from './prompt.ts';

/** Calls that the provider sent with one id. `last` is the latest complete one. */
type SameCalls = { begun: string[]; last?: string };

/**
 * Returns a function for the parts of one answer. A call without an id, and a call with an id that the answer or an earlier one contains
 * already, gets an id of its own. Of calls with one id, a call follows the parts of its arguments, and calls follow one another in the order of their
 * starts; pieces belong to the last start, and a result to the last call. The end of the arguments may follow the call.
 * @param taken ids of the calls of earlier answers
 */
export function createCallNamer(taken: ReadonlySet<string> = new Set()): (part: ModelPart) => ModelPart {
  const sent = new Map<string, SameCalls>();
  /** Own ids of the calls with complete arguments. */
  const ended = new Set<string>();
  /** Sent ids for which the provider asks for an approval. */
  const asked = new Set<string>();
  const createId = (id: string): string =>
    id !== '' && !sent.has(id) && !taken.has(id) ? id : `call_${crypto.randomUUID()}`;
  const getCalls = (id: string): SameCalls => {
    const calls = sent.get(id) ?? { begun: [] };
    sent.set(id, calls);
    return calls;
  };
  const begin = (id: string): string => {
    const own = createId(id);
    getCalls(id).begun.push(own);
    return own;
  };
  const findBegun = (id: string): string => {
    const { begun, last } = sent.get(id) ?? { begun: [] };
    const isOpen = id !== '' && last !== undefined && !ended.has(last);
    return begun.at(-1) ?? (isOpen ? last : begin(id));
  };
  const takeNext = (id: string): string => {
    const own = sent.get(id)?.begun.shift() ?? createId(id);
    getCalls(id).last = own;
    return own;
  };
  return (part) => {
    switch (part.type) {
      case 'tool-input-start':
        return { ...part, id: begin(part.id) };
      case 'tool-input-delta':
        return { ...part, id: findBegun(part.id) };
      case 'tool-input-end': {
        const id = findBegun(part.id);
        ended.add(id);
        return { ...part, id };
      }
      case 'tool-call': {
        // The provider executes the approved call under the id of the call for which it asked.
        const approved = part.providerExecuted && asked.delete(part.toolCallId) && sent.get(part.toolCallId)?.last;
        return { ...part, toolCallId: approved || takeNext(part.toolCallId) };
      }
      case 'tool-approval-request':
        asked.add(part.toolCallId);
        return { ...part, toolCallId: sent.get(part.toolCallId)?.last ?? part.toolCallId };
      case 'tool-result':
        return { ...part, toolCallId: sent.get(part.toolCallId)?.last ?? part.toolCallId };
      default:
        return part;
    }
  };
}

/** Returns the ids of the calls that a run holds: those of its messages, and those of steps whose messages a processor has removed. */
export function listCallIds({ conversation, steps }: Pick<RunState, 'conversation' | 'steps'>): Set<string> {
  const parts = conversation.entries.flatMap(({ message }) => message.content.parts);
  const stored = parts.flatMap((part) => (part.type === 'tool-invocation' ? part.toolInvocation : []));
  return new Set([...stored, ...steps.flatMap(({ toolCalls }) => toolCalls)].map(({ toolCallId }) => toolCallId));
}
