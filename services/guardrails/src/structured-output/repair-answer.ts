// An answer as the JSON of its schema: as it stands, or taken out of what a model writes around it. Nothing is made up: a value that does
// not fit stays one. Pure, so that a schema whose patterns never end costs only its own call.
import type { JsonSchema } from '@millrace/contracts';
import { findMisfit } from '@millrace/models/json-schema';
import type { PrepareJudge } from '../work/task-outcome.ts';

/** `text`: the JSON alone. `misfit`: what is wrong, without a word of the answer. */
export type Repaired = { text: string; isRepaired: boolean } | { misfit: string };

export const prepareRepair: PrepareJudge<{ schema: JsonSchema }, Repaired> =
  ({ schema }) =>
  (answers) =>
    answers.map((answer) => repaired(schema, answer));

function repaired(schema: JsonSchema, answer: string): Repaired {
  let misfit = 'it is not JSON';
  for (const candidate of candidates(answer)) {
    const value = parsed(candidate);
    if (value === undefined) continue;
    const wrong = findMisfit(schema, value.json);
    if (wrong === undefined) return { text: candidate, isRepaired: candidate !== answer };
    misfit = wrong;
  }
  return { misfit };
}

/** The whole of it; what stands in its first fence; from its first bracket to its last. */
function candidates(answer: string): string[] {
  const fence = firstFence(answer);
  const begin = answer.search(/[{[]/);
  const end = Math.max(answer.lastIndexOf('}'), answer.lastIndexOf(']'));
  return [answer, ...(fence === undefined ? [] : [fence]), ...(begin < 0 ? [] : [answer.slice(begin, end + 1)])];
}

function firstFence(answer: string): string | undefined {
  const opening = /```(?:json)?[^\S\n]*\n/i.exec(answer);
  if (!opening) return undefined;
  const begin = opening.index + opening[0].length;
  const end = answer.indexOf('```', begin);
  return end < 0 ? undefined : answer.slice(begin, end).trimEnd();
}

function parsed(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
