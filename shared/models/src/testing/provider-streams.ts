// One answer in the stream of each provider's protocol: reasoning that the provider signs, text, a call of a tool, and the usage. Sources:
// the references of OpenAI (Responses, chat completions), Anthropic (Messages) and Google (Gemini API) on streaming.
import type { ProviderKind } from '../providers/provider-config.ts';
import { sseEvents } from './byte-provider.ts';

export type StreamedAnswer = {
  reasoning?: string;
  text?: string;
  call?: { id: string; name: string; args: object };
  /** The stream ends after the text, as that of a connection that closes. */
  isCut?: boolean;
};

export const STREAM_USAGE = { inputTokens: 16, cachedInputTokens: 4, outputTokens: 9 };
export const STREAM_SIGNATURE = 'c2lnbmVk';

/** Returns the body of the answer, one event a string. */
export function streamAnswer(kind: ProviderKind, answer: StreamedAnswer): string[] {
  switch (kind) {
    case 'openai':
      return streamResponse(answer);
    case 'openai-compatible':
      return streamCompletion(answer);
    case 'anthropic':
      return streamMessage(answer);
    case 'google':
      return streamContent(answer);
  }
}

const splitWords = (text: string): string[] => text.split(/(?<= )/);

function streamMessage({ reasoning, text, call, isCut }: StreamedAnswer): string[] {
  const usage = { input_tokens: 12, cache_read_input_tokens: 4, cache_creation_input_tokens: 0, output_tokens: 1 };
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    usage,
  };
  const blocks = [
    ...(reasoning === undefined
      ? []
      : [
          {
            start: { type: 'thinking', thinking: '', signature: '' },
            deltas: [
              ...splitWords(reasoning).map((thinking) => ({ type: 'thinking_delta', thinking })),
              { type: 'signature_delta', signature: STREAM_SIGNATURE },
            ],
          },
        ]),
    ...(text === undefined
      ? []
      : [
          {
            start: { type: 'text', text: '' },
            deltas: splitWords(text).map((piece) => ({ type: 'text_delta', text: piece })),
          },
        ]),
    ...(call === undefined
      ? []
      : [
          {
            start: { type: 'tool_use', id: call.id, name: call.name, input: {} },
            deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(call.args) }],
          },
        ]),
  ];
  const events = [
    { type: 'message_start', message },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: call ? 'tool_use' : 'end_turn' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ];
  const sent = isCut ? events.slice(0, -3) : events;
  return sent.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

function streamContent({ reasoning, text, call, isCut }: StreamedAnswer): string[] {
  const usageMetadata = {
    promptTokenCount: 16,
    cachedContentTokenCount: 4,
    candidatesTokenCount: 9,
    totalTokenCount: 25,
  };
  const content = (...parts: object[]) => ({
    candidates: [{ content: { role: 'model', parts }, index: 0 }],
    modelVersion: 'm',
    responseId: 'r1',
  });
  const thoughts = reasoning === undefined ? [] : splitWords(reasoning);
  const events = [
    ...thoughts.map((piece, at) =>
      content({
        text: piece,
        thought: true,
        ...(at === thoughts.length - 1 && { thoughtSignature: STREAM_SIGNATURE }),
      }),
    ),
    ...(text === undefined ? [] : splitWords(text)).map((piece) => content({ text: piece })),
    ...(call === undefined ? [] : [content({ functionCall: { id: call.id, name: call.name, args: call.args } })]),
    ...(isCut
      ? []
      : [{ candidates: [{ content: { role: 'model', parts: [] }, index: 0, finishReason: 'STOP' }], usageMetadata }]),
  ];
  return sseEvents(...events);
}

function streamCompletion({ reasoning, text, call, isCut }: StreamedAnswer): string[] {
  const head = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const choose = (delta: object, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason }],
  });
  const events = [
    choose({ role: 'assistant', content: '' }),
    ...(reasoning === undefined ? [] : splitWords(reasoning)).map((piece) => choose({ reasoning_content: piece })),
    ...(text === undefined ? [] : splitWords(text)).map((piece) => choose({ content: piece })),
    ...(call === undefined
      ? []
      : [
          choose({
            tool_calls: [
              {
                index: 0,
                id: call.id,
                type: 'function',
                function: { name: call.name, arguments: JSON.stringify(call.args) },
              },
            ],
          }),
        ]),
    ...(isCut
      ? []
      : [
          choose({}, call ? 'tool_calls' : 'stop'),
          {
            ...head,
            choices: [],
            usage: {
              prompt_tokens: 16,
              completion_tokens: 9,
              total_tokens: 25,
              prompt_tokens_details: { cached_tokens: 4 },
            },
          },
        ]),
  ];
  return [...sseEvents(...events), ...(isCut ? [] : ['data: [DONE]\n\n'])];
}

function streamResponse({ reasoning, text, call, isCut }: StreamedAnswer): string[] {
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [] };
  const reasoningItem = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: STREAM_SIGNATURE };
  const callItem = call && {
    type: 'function_call',
    id: 'fc_1',
    call_id: call.id,
    name: call.name,
    arguments: JSON.stringify(call.args),
    status: 'completed',
  };
  const events = [
    { type: 'response.created', response },
    ...(reasoning === undefined
      ? []
      : [
          { type: 'response.output_item.added', output_index: 0, item: { ...reasoningItem, encrypted_content: null } },
          {
            type: 'response.reasoning_summary_part.added',
            item_id: 'rs_1',
            output_index: 0,
            summary_index: 0,
            part: { type: 'summary_text', text: '' },
          },
          ...splitWords(reasoning).map((delta) => ({
            type: 'response.reasoning_summary_text.delta',
            item_id: 'rs_1',
            output_index: 0,
            summary_index: 0,
            delta,
          })),
          {
            type: 'response.output_item.done',
            output_index: 0,
            item: { ...reasoningItem, summary: [{ type: 'summary_text', text: reasoning }] },
          },
        ]),
    ...listTextEvents(text, isCut),
    ...(callItem
      ? [
          { type: 'response.output_item.added', output_index: 2, item: { ...callItem, arguments: '' } },
          {
            type: 'response.function_call_arguments.delta',
            item_id: 'fc_1',
            output_index: 2,
            delta: callItem.arguments,
          },
          { type: 'response.output_item.done', output_index: 2, item: callItem },
        ]
      : []),
    ...(isCut
      ? []
      : [
          {
            type: 'response.completed',
            response: {
              ...response,
              usage: {
                input_tokens: 16,
                input_tokens_details: { cached_tokens: 4 },
                output_tokens: 9,
                output_tokens_details: { reasoning_tokens: 0 },
                total_tokens: 25,
              },
            },
          },
        ]),
  ];
  return sseEvents(...events);
}

function listTextEvents(text: string | undefined, isCut = false): object[] {
  if (text === undefined) return [];
  const item = { type: 'message', id: 'msg_1', role: 'assistant' };
  const place = { item_id: 'msg_1', output_index: 1, content_index: 0 };
  const content = [{ type: 'output_text', text, annotations: [] }];
  const done = { type: 'response.output_item.done', output_index: 1, item: { ...item, status: 'completed', content } };
  return [
    { type: 'response.output_item.added', output_index: 1, item: { ...item, status: 'in_progress', content: [] } },
    ...splitWords(text).map((delta) => ({ type: 'response.output_text.delta', ...place, delta })),
    ...(isCut ? [] : [done]),
  ];
}
