// A script sets the answers of the model, call by call. It is a JSON array in a fenced block tagged `script` in the
// last user message. The model calls of a run carry `X-Client-Request-Id: <run>.<n>`, n counting from 1 with retries
// included; element n answers call n. A call without that header has no number and ignores scripts. Every call after
// the last element is answered with "done".
import { z } from 'zod';
import { ApiError } from '../api/api-error.ts';
import { describeIssue } from '../api/describe-issue.ts';
import { findLastUserText, type ServedCall } from '../conversation.ts';
import { defaultChunkSize, buildPlainReply, type ModelReply, type ReplyFailure } from '../reply.ts';
import { findScriptBlocks } from './script-block.ts';

export const maxDelayMs = 60_000;

export const scriptedErrorSchema = z.strictObject({
  status: z.int().min(400).max(599).default(500),
  message: z.string().default('This error was scripted.'),
  retryAfterSeconds: z.number().min(0).optional(),
});

export const toFailure = ({
  status,
  message,
  retryAfterSeconds,
}: z.infer<typeof scriptedErrorSchema>): ReplyFailure => ({
  status,
  message,
  retryAfterSeconds,
});

const closingAnswer = 'done';

const elementSchema = z.strictObject({
  text: z.string().default(''),
  reasoning: z.string().default(''),
  chunkSize: z.int().min(1).default(defaultChunkSize),
  delayMs: z.int().min(0).max(maxDelayMs).default(0),
  burst: z.int().min(1).default(1),
  toolCalls: z
    .array(
      z.strictObject({
        id: z.string().optional(),
        name: z.string().min(1),
        // A string is sent unchanged, so that a test can send arguments that are not JSON.
        args: z.union([z.record(z.string(), z.json()), z.string()]).default({}),
      }),
    )
    .default([]),
  finish: z.enum(['stop', 'length']).default('stop'),
  error: scriptedErrorSchema.optional(),
});

const scriptSchema = z.array(elementSchema);

/**
 * Returns the reply that the script sets for this call, or undefined without a script or call number. Throws a 400 with
 * the error of an invalid script and its position.
 */
export function findScriptedReply(call: ServedCall, clientRequestId: string | undefined): ModelReply | undefined {
  const number = callNumber(clientRequestId);
  if (number === undefined) return undefined;
  const [block, second] = findScriptBlocks(findLastUserText(call.conversation.turns));
  if (block === undefined) return undefined;

  const createInvalidError = (message: string): ApiError =>
    new ApiError({ status: 400, code: 'invalid_script', param: call.conversationField, message: `script: ${message}` });
  if (!block.closed) throw createInvalidError('the block is not closed: end it with ``` after the array');
  if (second !== undefined) throw createInvalidError('the message has two blocks: put all elements into one array');
  if (number < 1) throw createInvalidError(`X-Client-Request-Id counts calls from 1; this one is ${number}`);

  const script = scriptSchema.safeParse(parseSource(block.source, createInvalidError));
  if (!script.success) {
    const { path, message } = describeIssue(script.error);
    throw createInvalidError(path === '' ? `${message}: the block holds one JSON array` : `${path}: ${message}`);
  }
  const element = script.data[number - 1];
  return element === undefined ? buildPlainReply(closingAnswer) : toReply(element);
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
    // V8's message names the offending token and its position in the block.
    throw invalid(`not JSON: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

const toReply = (element: z.infer<typeof elementSchema>): ModelReply => ({
  text: element.text,
  reasoning: element.reasoning,
  toolCalls: element.toolCalls.map(({ id, name, args }) => ({
    id,
    name,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
  })),
  finish: element.finish,
  chunkSize: element.chunkSize,
  delayMs: element.delayMs,
  burst: element.burst,
  failure: element.error && toFailure(element.error),
});
