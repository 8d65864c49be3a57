// Scripts let a test say what the model will do, call by call. A script is a JSON array in a fenced block tagged
// `script` in the last user message; the model calls of a run carry `X-Client-Request-Id: <run>.<n>`, n counting from 1
// with the tries included, and call n is answered by element n: the first call by the array's first element. A call
// without that header has no number, so it ignores scripts. Past the array's end every answer is the word "done".
import { z } from 'zod';
import { ApiError } from '../api/api-error.ts';
import { describeIssue } from '../api/describe-issue.ts';
import { lastUserText, type ModelCall } from '../conversation.ts';
import { defaultChunkSize, plainReply, type Reply } from '../reply.ts';
import { scriptBlocks } from './script-block.ts';
import { failureOf, maxDelayMs, scriptedErrorSchema } from './scripted-error.ts';

const closingAnswer = 'done';

const elementSchema = z.strictObject({
  text: z.string().default(''),
  reasoning: z.string().default(''),
  chunkSize: z.int().min(1).default(defaultChunkSize),
  delayMs: z.int().min(0).max(maxDelayMs).default(0),
  toolCalls: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        // A string is sent as it stands, so that a test can have a model whose arguments are not JSON.
        args: z.union([z.record(z.string(), z.json()), z.string()]).default({}),
      }),
    )
    .default([]),
  error: scriptedErrorSchema.optional(),
});

const scriptSchema = z.array(elementSchema);

/**
 * What the script of this call's conversation says, or undefined where there is none or the call has no number.
 * Throws a 400 that says what is wrong with a script, and where.
 */
export function scriptedReply(call: ModelCall, clientRequestId: string | undefined): Reply | undefined {
  const number = callNumber(clientRequestId);
  if (number === undefined) return undefined;
  const [block, second] = scriptBlocks(lastUserText(call.conversation.turns));
  if (block === undefined) return undefined;

  const invalid = (message: string): ApiError =>
    new ApiError({ status: 400, code: 'invalid_script', param: call.conversationField, message: `script: ${message}` });
  if (!block.closed) throw invalid('the block is not closed: end it with ``` after the array');
  if (second !== undefined) throw invalid('the message holds two blocks: put all elements into one array');
  if (number < 1) throw invalid(`X-Client-Request-Id counts calls from 1, and this one says ${number}`);

  const script = scriptSchema.safeParse(parseSource(block.source, invalid));
  if (!script.success) {
    const { path, message } = describeIssue(script.error);
    throw invalid(path === '' ? `${message}: the block holds one JSON array` : `${path}: ${message}`);
  }
  const element = script.data[number - 1];
  return element === undefined ? plainReply(closingAnswer) : replyOf(element);
}

/** n of `<run>.<n>`. */
function callNumber(clientRequestId: string | undefined): number | undefined {
  const digits = /^.+\.(\d{1,9})$/.exec(clientRequestId ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function parseSource(source: string, invalid: (message: string) => ApiError): unknown {
  try {
    return JSON.parse(source);
  } catch (cause) {
    // V8's message names the offending token and its position within the block.
    throw invalid(`not JSON: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

const replyOf = (element: z.infer<typeof elementSchema>): Reply => ({
  text: element.text,
  reasoning: element.reasoning,
  toolCalls: element.toolCalls.map(({ name, args }) => ({
    name,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
  })),
  finish: 'stop',
  chunkSize: element.chunkSize,
  delayMs: element.delayMs,
  failure: element.error && failureOf(element.error),
});
