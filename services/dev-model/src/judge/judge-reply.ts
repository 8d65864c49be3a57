// Answers a guard's request for a verdict on a text: with the verdict that a test scripts in that text, otherwise with
// the emptiest value of the schema, which reports nothing. The guard puts the text between markers and names the
// verdict in its schema's title.
// ```verdict[{"for": "moderation", "answer": {"scores": {"hate": 0.9}}}]```
import { z } from 'zod';
import { ApiError } from '../api/api-error.ts';
import { describeIssue } from '../api/describe-issue.ts';
import { buildEmptiestValue } from '../structured/structured-value.ts';
import { findLastUserText, type ServedCall } from '../conversation.ts';
import { isJsonObject, tryParseJson, type UnknownObject } from '../json.ts';
import { defaultChunkSize, buildPlainReply, type ModelReply } from '../reply.ts';
import { findBlocks, stripBlocks } from '../script/script-block.ts';
import { toFailure, maxDelayMs, scriptedErrorSchema } from '../script/script.ts';

const verdictSchema = z.strictObject({
  /** The title of the schema. */
  for: z.string().min(1),
  /** Members that differ from the emptiest value. */
  answer: z.record(z.string(), z.json()).default({}),
  /** Sent unchanged instead of a value. */
  text: z.string().optional(),
  delayMs: z.int().min(0).max(maxDelayMs).default(0),
  error: scriptedErrorSchema.optional(),
});
type ScriptedVerdict = z.infer<typeof verdictSchema>;

/** A text between the markers, and the attachments after them. */
const judged = /^BEGIN-TEXT-([0-9a-f]+)\n([^]*)\nEND-TEXT-\1(\n\[[a-z_]+\][^]*)?$/;

/** Returns undefined if the call does not request a verdict. */
export function judgeReply({ conversation, conversationField }: ServedCall): ModelReply | undefined {
  const { format } = conversation;
  const [, , text, files = ''] = judged.exec(findLastUserText(conversation.turns)) ?? [];
  if (text === undefined || format.type !== 'json_schema') return undefined;
  const title = format.schema['title'];
  const verdicts = [text, files].flatMap((one) => findVerdicts(one, conversationField));
  const verdict = verdicts.find((one) => one.for === title);
  const value = verdict?.text ?? JSON.stringify(mergeJson(buildEmptiestValue(format.schema), verdict?.answer ?? {}));
  // The delay applies before the second delta, so a delayed verdict has two.
  const chunkSize = verdict?.delayMs ? Math.ceil(value.length / 2) : defaultChunkSize;
  return {
    ...buildPlainReply(value),
    chunkSize,
    delayMs: verdict?.delayMs ?? 0,
    failure: verdict?.error && toFailure(verdict.error),
  };
}

/** Ignores scripts of the agent's own model: their verdicts belong to later answers, not to this text. */
function findVerdicts(text: string, field: string): ScriptedVerdict[] {
  const framed = listStrings(tryParseJson(text));
  const texts = framed.length > 0 ? framed : [text];
  const blocks = texts
    .flatMap((one) => findBlocks(stripBlocks(one, 'script'), 'verdict'))
    .filter(({ closed }) => closed);
  return blocks.flatMap(({ source }) => {
    const parsed = z.array(verdictSchema).safeParse(tryParseJson(source));
    if (parsed.success) return parsed.data;
    const { path, message } = describeIssue(parsed.error);
    throw new ApiError({ status: 400, code: 'invalid_script', param: field, message: `verdict: ${path}: ${message}` });
  });
}

/** Returns the texts of a list or an object, at any depth: a guard frames several inputs as JSON. */
function listStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listStrings) : [];
}

function mergeJson(value: unknown, changes: UnknownObject): unknown {
  if (!isJsonObject(value)) return changes;
  const members = Object.entries(changes).map(([name, change]) => [
    name,
    isJsonObject(change) ? mergeJson(value[name], change) : change,
  ]);
  return { ...value, ...Object.fromEntries(members) };
}
