// What the stand-in answers where a guard asks for a verdict on a text: what a test says in that very text, else the emptiest value of
// the schema, which finds nothing. A guard's text stands between marks, and its schema's title says what is asked.
//
//     ```verdict[{"for": "moderation", "answer": {"scores": {"hate": 0.9}}}]```
import { z } from 'zod';
import { ApiError } from '../api/api-error.ts';
import { describeIssue } from '../api/describe-issue.ts';
import { structuredValue } from '../answer/structured-answer.ts';
import { lastUserText, type ModelCall } from '../conversation.ts';
import { isJsonObject, parsedJson, type JsonObject } from '../json.ts';
import { defaultChunkSize, plainReply, type Reply } from '../reply.ts';
import { blocksOf, withoutBlocks } from '../script/script-block.ts';
import { failureOf, maxDelayMs, scriptedErrorSchema } from '../script/scripted-error.ts';

const verdictSchema = z.strictObject({
  /** The title of the schema. */
  for: z.string().min(1),
  /** Members that differ from the emptiest value. */
  answer: z.record(z.string(), z.json()).default({}),
  /** Instead of a value: sent as it stands. */
  text: z.string().optional(),
  delayMs: z.int().min(0).max(maxDelayMs).default(0),
  error: scriptedErrorSchema.optional(),
});
type Verdict = z.infer<typeof verdictSchema>;

const judged = /^BEGIN-TEXT-([0-9a-f]+)\n([^]*)\nEND-TEXT-\1$/;

/** Undefined where nobody asks for a verdict. */
export function judgeReply({ conversation, conversationField }: ModelCall): Reply | undefined {
  const { format } = conversation;
  const text = judged.exec(lastUserText(conversation.turns))?.[2];
  if (text === undefined || format.type !== 'json_schema') return undefined;
  const title = format.schema['title'];
  const verdict = verdictsIn(text, conversationField).find((one) => one.for === title);
  const value = verdict?.text ?? JSON.stringify(merged(structuredValue(format.schema), verdict?.answer ?? {}));
  // A pause comes before the second delta: a verdict that is to take its time has two.
  const chunkSize = verdict?.delayMs ? Math.ceil(value.length / 2) : defaultChunkSize;
  return {
    ...plainReply(value),
    chunkSize,
    delayMs: verdict?.delayMs ?? 0,
    failure: verdict?.error && failureOf(verdict.error),
  };
}

/** A script of the agent's own model may hold verdicts for what that will answer: they are not about this text. */
function verdictsIn(text: string, field: string): Verdict[] {
  const list = parsedJson(text);
  const texts = Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [text];
  const blocks = texts
    .flatMap((one) => blocksOf(withoutBlocks(one, 'script'), 'verdict'))
    .filter(({ closed }) => closed);
  return blocks.flatMap(({ source }) => {
    const parsed = z.array(verdictSchema).safeParse(parsedJson(source));
    if (parsed.success) return parsed.data;
    const { path, message } = describeIssue(parsed.error);
    throw new ApiError({ status: 400, code: 'invalid_script', param: field, message: `verdict: ${path}: ${message}` });
  });
}

function merged(value: unknown, changes: JsonObject): unknown {
  if (!isJsonObject(value)) return changes;
  const members = Object.entries(changes).map(([name, change]) => [
    name,
    isJsonObject(change) ? merged(value[name], change) : change,
  ]);
  return { ...value, ...Object.fromEntries(members) };
}
