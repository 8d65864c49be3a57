// Builds a plain turn, stage by stage, and a chunk of every type: valid input for every processor.
import {
  CHUNK_TYPES,
  passesChain,
  buildTextMessage,
  type Chunk,
  type Conversation,
  type MessageSource,
  type Stage,
  type StageInput,
} from '@millrace/contracts';

/** Constant, so that repeated calls are equal. */
const CREATED_AT = '2026-01-01T00:00:00.000Z';

/** Builds a conversation with one message of the caller, or of the model for `response`. */
export function buildConversation(source: MessageSource, text: string): Conversation {
  return { entries: [buildEntry(source, text)], system: [] };
}

function buildEntry(source: MessageSource, text: string): Conversation['entries'][number] {
  const message = buildTextMessage(`${source}-0`, source === 'response' ? 'assistant' : 'user', text);
  return { source, message: { ...message, createdAt: CREATED_AT } };
}

/** Builds the chunks of a model's text: start, a delta for each of `deltas`, end. */
export function buildTextChunks(deltas: readonly string[], runId: string, id = 'text-1'): Chunk[] {
  const base = { runId, from: 'AGENT' as const };
  return [
    { type: 'text-start', ...base, payload: { id } },
    ...deltas.map((text): Chunk => ({ type: 'text-delta', ...base, payload: { id, text } })),
    { type: 'text-end', ...base, payload: { id } },
  ];
}

const conversation: Conversation = {
  entries: [
    buildEntry('remembered', 'We met.'),
    buildEntry('input', 'Show me the current time.'),
    buildEntry('response', 'Noon.'),
  ],
  system: [{ tag: 'instructions', content: 'Be kind.' }],
};
const toolCall = { toolCallId: 'call-1', toolName: 'clock', args: { timeZone: 'UTC' } };
const tool = {
  name: 'clock',
  description: 'The time.',
  inputSchema: { type: 'object' },
  subject: 'clock',
  idempotent: true,
  timeoutMs: 1_000,
};
const modelCall = { model: 'openai/gpt-5-mini', tools: [tool], modelSettings: {}, providerOptions: {}, steps: [] };
const answer = { text: 'Noon.', finishReason: 'stop', usage: {}, steps: [] };

const INPUTS: Record<Stage, Partial<StageInput>> = {
  processInput: { conversation },
  processInputStep: { conversation, ...modelCall },
  processLLMRequest: {
    ...modelCall,
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'Show me the current time.' }] }],
  },
  processAPIError: {
    conversation,
    model: modelCall.model,
    steps: [],
    error: { name: 'AI_APICallError', message: 'busy', statusCode: 429, isRetryable: true },
  },
  processOutputStream: { conversation },
  processLLMResponse: {
    model: modelCall.model,
    steps: [],
    chunks: buildTextChunks(['Noon.'], 'run-1'),
    fromCache: false,
  },
  processOutputStep: { conversation, ...answer, toolCalls: [toolCall] },
  processToolCall: { conversation, toolCall, tool },
  processToolResult: { conversation, toolCall, tool, result: { time: 'noon' }, isError: false },
  processOutputResult: { conversation, ...answer, answered: true },
};
/** A tool stage needs its call. */
const NOTHING: Partial<Record<Stage, Partial<StageInput>>> = {
  processToolCall: { toolCall: { ...toolCall, args: {} }, tool },
  processToolResult: { toolCall: { ...toolCall, args: {} }, tool, result: null },
};

export const buildPlainInput = (stage: Stage): Partial<StageInput> => INPUTS[stage];
export const createEmptyInput = (stage: Stage): Partial<StageInput> => NOTHING[stage] ?? {};

const call = { toolCallId: 'call-1', toolName: 'clock' };
const step = { stepResult: { reason: 'stop' }, output: {} };
const PAYLOADS: Record<string, object> = {
  'text-start': { id: 't' },
  'text-delta': { id: 't', text: 'Noon' },
  'text-end': { id: 't' },
  'reasoning-start': { id: 'r' },
  'reasoning-delta': { id: 'r', text: 'A clock' },
  'reasoning-end': { id: 'r' },
  'reasoning-signature': { id: 'r', signature: 's' },
  'reasoning-file': { data: 'aGk=', mimeType: 'text/plain' },
  'tool-call': { ...call, args: {} },
  'tool-result': { ...call, result: null },
  'tool-call-input-streaming-start': call,
  'tool-call-delta': { toolCallId: 'call-1', argsTextDelta: '{}' },
  'tool-call-input-streaming-end': { toolCallId: 'call-1' },
  'tool-error': { ...call, error: 'broken' },
  'tool-output': { output: 'half' },
  'step-output': { output: 'half' },
  'tool-approval-request': { approvalId: 'a', toolCallId: 'call-1' },
  'tool-output-denied': { ...call, reason: 'no' },
  source: { id: 's', sourceType: 'url', title: 'A page' },
  file: { data: 'aGk=', mimeType: 'text/plain' },
  custom: { kind: 'openai.thing' },
  'step-finish': step,
  finish: { ...step, messages: [] },
  error: { error: 'broken' },
};

/** Builds a chunk of every type that passes the output chain, and two of unknown types. */
export function sampleChunks(runId: string): Chunk[] {
  const types = [...CHUNK_TYPES.filter((type) => passesChain({ type })), 'of-a-later-version', 'data-custom'];
  return types.map((type) => {
    const chunk = { type, runId, from: 'AGENT', object: {}, payload: PAYLOADS[type] ?? {} };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a test holds every sample against the chunk schema
    return chunk as unknown as Chunk;
  });
}
