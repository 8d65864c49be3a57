// pii: finds personal data in what the caller sends, the model's stream, tool calls and results, and the final answer. What it
// lets through is the same however the model's text is cut into chunks.
import type { Chunk, JsonValue } from '@millrace/contracts';
import {
  defineProcessor,
  type ProcessOutputStreamArgs,
  type ProcessToolCallArgs,
  type ProcessToolCallResult,
  type ProcessToolResultArgs,
} from '@millrace/processor';
import { objectIn } from '../guard/entry-state.ts';
import { judgeInput, judgeResult } from '../guard/judge-stages.ts';
import { judgeStream } from '../guard/judge-stream.ts';
import { segmentRule } from '../guard/segment-rule.ts';
import { judgeVisit, type TextGuard } from '../guard/text-guard.ts';
import { createTask } from '../work/task.ts';
import { createDetect } from './detect.ts';
import { preparePii } from './find-pii.ts';
import { mapKeyedValues } from './keyed-values.ts';
import { markOf } from './marks.ts';
import { piiSegments } from './pii-segments.ts';
import { piiOptions, type PiiOptions } from './pii-options.ts';

export const LEFT_OUT = '[tool result left out: it held personal data]';
export const DENIED = 'The arguments hold personal data, which this tool must not be given.';

export const pii = defineProcessor({
  id: 'pii',
  description: 'Finds personal data in input, answer, tool calls and results, and redacts or refuses it.',
  aliases: ['PIIDetector'],
  stages: ['processInput', 'processOutputStream', 'processToolCall', 'processToolResult', 'processOutputResult'],
  reads: ['input', 'response'],
  processDataParts: true,
  options: piiOptions,
  create(options) {
    const guard = createGuard(options);
    return {
      id: 'pii',
      processInput: (args) => judgeInput(guard, args),
      processOutputStream: (args) => judgeChunk(guard, args),
      processToolCall: (args) => judgeToolCall(guard, args),
      processToolResult: (args) => judgeToolResult(guard, args),
      processOutputResult: (args) => judgeResult(guard, args),
    };
  },
});

type PiiGuard = TextGuard & Pick<PiiOptions, 'toolArguments'>;

function createGuard(options: PiiOptions): PiiGuard {
  const { strategy, response, method, toolArguments, types, regions, allow } = options;
  const detection = { types, regions, allow };
  const task = createTask('pii', preparePii, detection);
  return {
    strategy,
    response,
    toolArguments,
    describe: (rules) => `Personal data: ${rules.join(', ')}.`,
    task,
    rules: [segmentRule(piiSegments(createDetect(detection).cutPlace), (text) => task.now([text])[0]?.[0] ?? [])],
    mark: (hit, value, state) =>
      markOf(hit.rule, value, strategy === 'redact' ? method : 'remove', objectIn(state, 'placeholders')),
    mapValue: mapKeyedValues,
  };
}

function judgeChunk(guard: PiiGuard, args: ProcessOutputStreamArgs): Chunk[] | Promise<Chunk[]> {
  const { part } = args;
  if (part.type === 'tool-call-delta' && guard.toolArguments === 'keep') return [part];
  return part.type === 'tool-call' ? judgeCallChunk(guard, part, args) : judgeStream(guard, args);
}

/** What passes here is what the tool will be called with. */
async function judgeCallChunk(
  guard: PiiGuard,
  part: Extract<Chunk, { type: 'tool-call' }>,
  args: ProcessOutputStreamArgs,
): Promise<Chunk[]> {
  const { args: given, ...rest } = part.payload;
  const keeps = guard.toolArguments === 'keep' && given !== undefined;
  const [judged = part] = await judgeStream(guard, { ...args, part: keeps ? { ...part, payload: rest } : part });
  if (keeps && judged.type === 'tool-call') return [{ ...judged, payload: { ...judged.payload, args: given } }];
  const isChanged = judged.type === 'tool-call' && judged.payload.args !== given;
  if (isChanged && guard.toolArguments === 'deny') objectIn(args.state, 'denied')[callOf(args, rest)] = true;
  return [judged];
}

/** Only to deny: the tool gets what the stream has let through. */
async function judgeToolCall(guard: PiiGuard, args: ProcessToolCallArgs): Promise<ProcessToolCallResult> {
  if (guard.toolArguments !== 'deny') return undefined;
  const { toolCall } = args;
  const isNoted = callOf(args, toolCall) in objectIn(args.state, 'denied');
  const where = { toolCallId: toolCall.toolCallId };
  const judged = await judgeVisit(guard, args, (mapAt) => mapKeyedValues(toolCall.args, mapAt(where)));
  return isNoted || judged !== toolCall.args ? { deny: true, reason: DENIED, code: 'personal-data' } : undefined;
}

const callOf = ({ stepNumber }: { stepNumber: number }, { toolCallId }: { toolCallId: string }): string =>
  `${stepNumber} ${toolCallId}`;

async function judgeToolResult(
  guard: PiiGuard,
  args: ProcessToolResultArgs,
): Promise<{ result: JsonValue } | undefined> {
  const where = { toolCallId: args.toolCall.toolCallId };
  const result = await judgeVisit(guard, args, (mapAt) => mapKeyedValues(args.result, mapAt(where)));
  if (result === args.result) return undefined;
  return { result: guard.strategy === 'filter' ? LEFT_OUT : result };
}
