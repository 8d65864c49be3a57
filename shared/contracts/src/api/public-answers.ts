// Defines the answers that end clients receive in a form of their own.
import { z } from 'zod';
import { API, type ApiAnswer, type ApiVerb } from './api.ts';
import { publicAgentSchema, showAgent } from '../agent/public-agent.ts';

export const PUBLIC_ANSWERS = {
  'agents-list': z.object({ agents: z.array(publicAgentSchema), next: API['agents-list'].answer.shape.next }),
  'agents-get': publicAgentSchema,
} as const;
export type PublicVerb = keyof typeof PUBLIC_ANSWERS;
export type PublicAnswer<V extends PublicVerb> = z.infer<(typeof PUBLIC_ANSWERS)[V]>;

const CONVERSIONS: { readonly [V in PublicVerb]: (answer: ApiAnswer<V>) => PublicAnswer<V> } = {
  'agents-list': ({ agents, ...page }) => ({ agents: agents.map(showAgent), ...page }),
  'agents-get': showAgent,
};

/** Converts an answer for an end client. A verb without a form of its own has one answer for all. */
export function showAnswer<V extends ApiVerb>(verb: V, answer: ApiAnswer<V>): unknown {
  const conversions: { readonly [N in ApiVerb]?: (answer: ApiAnswer<N>) => unknown } = CONVERSIONS;
  const convert = conversions[verb];
  return convert ? convert(answer) : answer;
}
