// Extracts the JSON of a schema from an answer, without changing values that do not fit. Runs as a task, so that a
// schema with a slow pattern blocks only its own call.
import type { JsonSchema } from '@millrace/contracts';
import { findMisfit } from '@millrace/models/json-schema';
import { defineTask, type PrepareJudge } from '../../work/define-task.ts';

/** `text`: the JSON alone. `misfit`: the problem, without a word of the answer. */
export type RepairResult = { text: string; isRepaired: boolean } | { misfit: string };

export const prepareRepair: PrepareJudge<{ schema: JsonSchema }, RepairResult> =
  ({ schema }) =>
  (answers) =>
    answers.map((answer) => repairJson(schema, answer));

export const repairTask = defineTask(import.meta.url, prepareRepair);

function repairJson(schema: JsonSchema, answer: string): RepairResult {
  let misfit = 'it is not JSON';
  for (const candidate of listCandidates(answer)) {
    const value = parseJson(candidate);
    if (value === undefined) continue;
    const wrong = findMisfit(schema, value.json);
    if (wrong === undefined) return { text: candidate, isRepaired: candidate !== answer };
    misfit = wrong;
  }
  return { misfit };
}

/** Lists the whole answer, the content of its first fence, and the text from its first bracket to its last. */
function listCandidates(answer: string): string[] {
  const fence = findFirstFence(answer);
  const begin = answer.search(/[{[]/);
  const end = Math.max(answer.lastIndexOf('}'), answer.lastIndexOf(']'));
  return [answer, ...(fence === undefined ? [] : [fence]), ...(begin < 0 ? [] : [answer.slice(begin, end + 1)])];
}

function findFirstFence(answer: string): string | undefined {
  const opening = /```(?:json)?[^\S\n]*\n/i.exec(answer);
  if (!opening) return undefined;
  const begin = opening.index + opening[0].length;
  const end = answer.indexOf('```', begin);
  return end < 0 ? undefined : answer.slice(begin, end).trimEnd();
}

function parseJson(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
