// The stages around tools, for a guard that may replace what tools are called with: what becomes of that is its option.
import type { Chunk, JsonObject, JsonValue } from '@millrace/contracts';
import type {
  ProcessOutputStreamArgs,
  ProcessToolCallArgs,
  ProcessToolCallResult,
  ProcessToolResultArgs,
} from '@millrace/processor';
import { z } from 'zod';
import { objectIn } from './entry-state.ts';
import { judgeStream } from './judge-stream.ts';
import { judgeVisit, type TextGuard } from './text-guard.ts';

export const toolArgumentsOption = (what: string) =>
  z
    .enum(['redact', 'keep', 'deny'])
    .default('redact')
    .describe(
      `what becomes of ${what} in a tool call's arguments: redact: as everywhere, the tool gets the mark; keep: the tool ` +
        'and the client get the value, what is stored is judged; deny: the client gets the mark and the tool does not run, where ' +
        'the processor stands in `input` too',
    );

export type ToolGuard = TextGuard & {
  toolArguments: 'redact' | 'keep' | 'deny';
  /** In the place of a tool result with strategy filter. */
  leftOut: string;
  /** What the model is told of a call that is denied. */
  denied: { reason: string; code: string };
};

export function judgeChunk(guard: ToolGuard, args: ProcessOutputStreamArgs): Chunk[] | Promise<Chunk[]> {
  const { part } = args;
  if (part.type === 'tool-call-delta' && guard.toolArguments === 'keep') return [part];
  return part.type === 'tool-call' ? judgeCallChunk(guard, part, args) : judgeStream(guard, args);
}

/** What passes here is what the tool will be called with. */
async function judgeCallChunk(
  guard: ToolGuard,
  part: Extract<Chunk, { type: 'tool-call' }>,
  args: ProcessOutputStreamArgs,
): Promise<Chunk[]> {
  const { args: given, ...rest } = part.payload;
  const keeps = guard.toolArguments === 'keep' && given !== undefined;
  const [judged = part] = await judgeStream(guard, { ...args, part: keeps ? { ...part, payload: rest } : part });
  if (keeps && judged.type === 'tool-call') return [{ ...judged, payload: { ...judged.payload, args: given } }];
  const isChanged = judged.type === 'tool-call' && judged.payload.args !== given;
  if (isChanged && guard.toolArguments === 'deny') noted(args.state)[callOf(args, rest)] = true;
  return [judged];
}

/** Only to deny: the tool gets what the stream has let through. */
export async function judgeToolCall(guard: ToolGuard, args: ProcessToolCallArgs): Promise<ProcessToolCallResult> {
  if (guard.toolArguments !== 'deny') return undefined;
  const { toolCall } = args;
  const isNoted = callOf(args, toolCall) in noted(args.state);
  const where = { toolCallId: toolCall.toolCallId };
  const judged = await judgeVisit(guard, args, (mapAt) => guard.mapValue(toolCall.args, mapAt(where)));
  return isNoted || judged !== toolCall.args ? { deny: true, ...guard.denied } : undefined;
}

const noted = (state: JsonObject): JsonObject => objectIn(state, 'denied');

const callOf = ({ stepNumber }: { stepNumber: number }, { toolCallId }: { toolCallId: string }): string =>
  `${stepNumber} ${toolCallId}`;

export async function judgeToolResult(
  guard: TextGuard & { leftOut?: string },
  args: ProcessToolResultArgs,
): Promise<{ result: JsonValue } | undefined> {
  const where = { toolCallId: args.toolCall.toolCallId };
  const result = await judgeVisit(guard, args, (mapAt) => guard.mapValue(args.result, mapAt(where)));
  if (result === args.result) return undefined;
  return { result: guard.strategy === 'filter' && guard.leftOut !== undefined ? guard.leftOut : result };
}
