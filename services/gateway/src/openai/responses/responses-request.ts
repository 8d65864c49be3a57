// The request of a response. Items that a run cannot carry are refused by name.
import {
  MAX_REQUEST_MESSAGES,
  imageDetailSchema,
  isObject,
  threadIdSchema,
  type Message,
  type MessagePart,
  type ToolInvocationPart,
} from '@millrace/contracts';
import { z } from 'zod';
import { metadataSchema } from '../metadata-schema.ts';
import { MAX_FILENAME, createFilePart, createResultFileError, requireFile } from '../../agents/file-part.ts';
import {
  convertRole,
  createMessage,
  createNoMessageError,
  isSystemRole,
  selectSubmitted,
  type ConvertOptions,
  convertCall,
} from '../../agents/submitted-messages.ts';
import { matchCalls, type HistoryStep, type MatchedCall } from '../../agents/match-calls.ts';
import { buildOutput, parseCallId, type CallResults } from '../../agents/client-calls.ts';

const contentSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('input_text'), text: z.string() }),
  z.looseObject({ type: z.literal('output_text'), text: z.string() }),
  z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
  z.looseObject({
    type: z.literal('input_image'),
    image_url: z.string().min(1).nullish(),
    detail: imageDetailSchema.nullish(),
  }),
  z.looseObject({
    type: z.literal('input_file'),
    file_data: z.string().min(1).nullish(),
    file_url: z.url({ protocol: /^https?$/ }).nullish(),
    filename: z.string().max(MAX_FILENAME).nullish(),
  }),
]);
type Content = z.output<typeof contentSchema>;

const messageItemSchema = z.looseObject({
  type: z.literal('message').default('message'),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), z.array(contentSchema)]),
});
export const approvalItemSchema = z.looseObject({
  type: z.literal('mcp_approval_response'),
  approval_request_id: z.string(),
  approve: z.boolean(),
  reason: z.string().nullish(),
});
const callItemSchema = z.looseObject({
  type: z.literal('function_call'),
  call_id: z.string(),
  name: z.string().min(1),
  arguments: z.string(),
});
const resultItemSchema = z.looseObject({
  type: z.literal('function_call_output'),
  call_id: z.string(),
  output: z.union([z.string(), z.array(contentSchema)]),
});
/** An item of an earlier response by its id: the AI SDK sends no others. */
const referenceItemSchema = z.looseObject({ type: z.literal('item_reference'), id: z.string() });
/** Items of earlier responses that a client sends back: the run has them in its thread, or they are no input. */
const outputItemSchema = z.looseObject({
  type: z.enum(['reasoning', 'mcp_call', 'mcp_list_tools', 'mcp_approval_request']),
});
const itemSchema = z.union(
  [messageItemSchema, callItemSchema, resultItemSchema, approvalItemSchema, referenceItemSchema, outputItemSchema],
  { error: 'must be a message, a function call, its output, or the answer to an approval request' },
);
export type Item = z.output<typeof itemSchema>;

export const responseRequestSchema = z.looseObject({
  model: z.string().min(1),
  input: z.union([z.string().min(1), z.array(itemSchema).min(1).max(MAX_REQUEST_MESSAGES)]),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  background: z.boolean().nullish(),
  store: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
  conversation: z.union([threadIdSchema, z.looseObject({ id: threadIdSchema })]).nullish(),
  user: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  metadata: metadataSchema,
});
export type ResponseRequest = z.output<typeof responseRequestSchema>;

/** Returns the form of the answer that the request asks for. */
export const readTextFormat = ({ text }: ResponseRequest): unknown => (isObject(text) ? text['format'] : undefined);

const isMessage = (item: Item): item is z.output<typeof messageItemSchema> => item.type === 'message';
const isCall = (item: Item): item is GivenCallItem => item.type === 'function_call';
const isResult = (item: Item): item is ResultItem => item.type === 'function_call_output';

/** An item with the role that decides whether a thread holds it already. */
type GivenItem = { role: string; item: Item };

const readRole = (item: Item): string => {
  if (isMessage(item)) return item.role;
  return item.type === 'function_call_output' ? 'tool' : 'assistant';
};

/** @throws run-refused if no item is left, message-invalid for a file */
export function convertInput(
  { input, instructions }: Pick<ResponseRequest, 'input' | 'instructions'>,
  options: ConvertOptions,
): Message[] {
  const items: Item[] = typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input;
  const given = items.map((item): GivenItem => ({ role: readRole(item), item }));
  const all = selectSubmitted(given, options).map(({ item }) => item);
  const calls = matchCalls(all.map(describeStep));
  const used = new Set(calls.flat().map(({ resultAt }) => resultAt));
  const submitted = all.flatMap((item, at) => {
    if (isMessage(item)) return [createMessage(convertRole(item.role, options), convertContent(item.content))];
    if (isCall(item))
      return [
        createMessage(
          'assistant',
          (calls[at] ?? []).map((one) => convertItemCall(item, one, all)),
        ),
      ];
    return isResult(item) && !used.has(at)
      ? [createMessage('tool', [{ type: 'text', text: readOutputText(item) }])]
      : [];
  });
  if (submitted.length === 0) throw createNoMessageError('input');
  const system = instructions
    ? [createMessage(convertRole('system', options), [{ type: 'text', text: instructions }])]
    : [];
  return [...system, ...submitted];
}

const describeStep = (item: Item): HistoryStep => ({
  role: readRole(item),
  ...(isCall(item) && { callIds: [item.call_id] }),
  ...(isResult(item) && { resultId: item.call_id }),
});

function convertItemCall(
  item: GivenCallItem,
  { id, resultAt = -1 }: MatchedCall,
  all: readonly Item[],
): ToolInvocationPart {
  const result = all[resultAt];
  return convertCall({ ...item, id, ...(result && isResult(result) && { output: readOutputText(result) }) });
}

type GivenCallItem = z.output<typeof callItemSchema>;
type ResultItem = z.output<typeof resultItemSchema>;
const readOutputText = ({ output }: ResultItem): string =>
  typeof output === 'string' ? output : output.map((part) => ('text' in part ? String(part.text) : '')).join('');

/** @throws not-built-yet */
export function refuseOutputFiles({ input }: Pick<ResponseRequest, 'input'>): void {
  if (typeof input === 'string') return;
  for (const [at, item] of input.entries()) {
    if (!isResult(item) || typeof item.output === 'string') continue;
    const file = item.output.findIndex((part) => !('text' in part));
    if (file >= 0) throw createResultFileError(`input[${at}].output[${file}]`);
  }
}

/** Returns the results at the end of the input, if they belong to calls of a run. */
export function readResponseResults({ input }: ResponseRequest): CallResults | undefined {
  if (typeof input === 'string') return undefined;
  const at = input.findLastIndex((item) => readRole(item) === 'assistant');
  const after = input.slice(at + 1);
  const results = after.filter(isResult);
  const ids = [
    ...results,
    ...input
      .slice(0, at + 1)
      .filter(isCall)
      .toReversed(),
  ].map((item) => item.call_id);
  const runId = ids.flatMap((id) => parseCallId(id) ?? [])[0]?.runId;
  if (runId === undefined) return undefined;
  return {
    runId,
    results: results.map((item) => ({ id: item.call_id, data: buildOutput(readOutputText(item)) })),
    isLast: results.length === after.length,
  };
}

export const hasSystem = ({ input, instructions }: ResponseRequest): boolean =>
  Boolean(instructions) ||
  (typeof input !== 'string' && input.filter(isMessage).some(({ role }) => isSystemRole(role)));

function convertContent(content: string | Content[]): MessagePart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part) => {
    switch (part.type) {
      case 'input_image':
        return createFilePart(requireFile(part.image_url, 'input'), {
          otherType: 'image/*',
          detail: part.detail,
          path: 'input',
        });
      case 'input_file':
        return createFilePart(requireFile(part.file_data ?? part.file_url, 'input'), {
          otherType: 'application/pdf',
          filename: part.filename,
          path: 'input',
        });
      case 'refusal':
        return { type: 'text', text: part.refusal };
      default:
        return { type: 'text', text: part.text };
    }
  });
}
