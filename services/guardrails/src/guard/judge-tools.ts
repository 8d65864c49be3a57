// Judges tool calls and results for a guard that may redact arguments. An option decides on the redaction.
import { isObject, nameText, replaceInexact, type Chunk, type JsonObject, type JsonValue } from '@millrace/contracts';
import type {
  ProcessOutputStreamArgs,
  ProcessToolCallArgs,
  ProcessToolCallResult,
  ProcessToolResultArgs,
} from '@millrace/processor';
import { z } from 'zod';
import { readObject } from './entry-state.ts';
import { judgeStream } from './judge-stream.ts';
import { judgeVisit, type TextGuard } from './text-guard.ts';

export const defineToolArgumentsOption = (what: string) =>
  z
    .enum(['redact', 'keep', 'deny'])
    .default('redact')
    .describe(
      `Handling of ${what} in a tool call's arguments. redact: the client and the tool receive the mark. keep: the client and the tool receive the value; at the end of the run the processor judges the arguments in the messages, so that a memory after it stores the mark. deny: the client receives the mark, and the call is denied if the processor is also listed under \`input\`.`,
    );

export type ToolGuard = TextGuard & {
  toolArguments: 'redact' | 'keep' | 'deny';
  /** Replaces a tool result with the strategy filter. */
  leftOut: string;
  /** Message for the model about a denied call. */
  denied: { reason: string; code: string };
};

export function judgeChunk(guard: ToolGuard, args: ProcessOutputStreamArgs): Chunk[] | Promise<Chunk[]> {
  const { part } = args;
  if (part.type === 'tool-call-delta' && guard.toolArguments === 'keep') return [part];
  return part.type === 'tool-call' ? judgeCallChunk(guard, part, args) : judgeStream(guard, args);
}

/** Judges the call as the tool will receive it. */
async function judgeCallChunk(
  guard: ToolGuard,
  part: Extract<Chunk, { type: 'tool-call' }>,
  args: ProcessOutputStreamArgs,
): Promise<Chunk[]> {
  const { args: given, argsText, ...rest } = part.payload;
  const keeps = guard.toolArguments === 'keep' && given !== undefined;
  const [judged = part] = await judgeStream(guard, { ...args, part: keeps ? { ...part, payload: rest } : part });
  if (keeps && judged.type === 'tool-call')
    return [{ ...judged, payload: { ...judged.payload, args: given, ...nameText('args', argsText) } }];
  const isChanged = judged.type === 'tool-call' && judged.payload.args !== given;
  if (isChanged && guard.toolArguments === 'deny') readDeniedCalls(args.state)[getCallKey(args, rest)] = true;
  return [judged];
}

/** Only denies: the tool receives the arguments that the stream passed. */
export async function judgeToolCall(guard: ToolGuard, args: ProcessToolCallArgs): Promise<ProcessToolCallResult> {
  if (guard.toolArguments !== 'deny') return undefined;
  const { toolCall } = args;
  const isNoted = getCallKey(args, toolCall) in readDeniedCalls(args.state);
  const where = { toolCallId: toolCall.toolCallId };
  const shown = showDigits(toolCall.args, toolCall.argsText);
  const judged = await judgeVisit(guard, args, (mapAt) => guard.mapValue(shown, mapAt(where)));
  return isNoted || judged !== shown ? { deny: true, ...guard.denied } : undefined;
}

/** Shows a number that a double does not have as the text of its digits: a guard judges the digits that the tool or the model reads. */
const showDigits = (value: JsonValue, text: string | undefined): JsonValue =>
  replaceInexact(value, text, (number) => number);

/** Returns the judged value with the numbers that no guard has changed. */
function hideDigits(judged: JsonValue, shown: JsonValue, given: JsonValue): JsonValue {
  if (judged === shown) return given;
  if (Array.isArray(judged) && Array.isArray(shown) && Array.isArray(given))
    return judged.map((item, at) => hideDigits(item, shown[at] ?? null, given[at] ?? null));
  if (!isObject(judged) || !isObject(shown) || !isObject(given)) return judged;
  return Object.fromEntries(
    Object.entries(judged).map(([name, member]) => [
      name,
      name in shown ? hideDigits(member, shown[name] ?? null, given[name] ?? null) : member,
    ]),
  );
}

const readDeniedCalls = (state: JsonObject): JsonObject => readObject(state, 'denied');

const getCallKey = ({ stepNumber }: { stepNumber: number }, { toolCallId }: { toolCallId: string }): string =>
  `${stepNumber} ${toolCallId}`;

export async function judgeToolResult(
  guard: TextGuard & { leftOut?: string },
  args: ProcessToolResultArgs,
): Promise<{ result: JsonValue } | undefined> {
  const where = { toolCallId: args.toolCall.toolCallId };
  const shown = showDigits(args.result, args.resultText);
  const result = await judgeVisit(guard, args, (mapAt) => guard.mapValue(shown, mapAt(where)));
  if (result === shown) return undefined;
  return {
    result:
      guard.strategy === 'filter' && guard.leftOut !== undefined
        ? guard.leftOut
        : hideDigits(result, shown, args.result),
  };
}
