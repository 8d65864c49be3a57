// A plain turn, stage by stage, and a chunk of every type: what every processor must be able to take.
import { CHUNK_TYPES, passesChain, type Chunk, type Stage, type StageInput } from '@millrace/contracts';
import { conversationOf, TEST_RUN, textChunks } from '../stage-call.ts';

const conversation = conversationOf({ remembered: ['We met.'], input: ['What time is it?'], response: ['Noon.'] }, [
  'Be kind.',
]);
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
    prompt: [{ role: 'user', content: [{ type: 'text', text: 'What time is it?' }] }],
  },
  processAPIError: {
    conversation,
    model: modelCall.model,
    steps: [],
    error: { name: 'AI_APICallError', message: 'busy', statusCode: 429, isRetryable: true },
  },
  processOutputStream: { conversation },
  processLLMResponse: { model: modelCall.model, steps: [], chunks: textChunks(['Noon.']), fromCache: false },
  processOutputStep: { conversation, ...answer, toolCalls: [toolCall] },
  processToolCall: { conversation, toolCall, tool },
  processToolResult: { conversation, toolCall, tool, result: { time: 'noon' }, isError: false },
  processOutputResult: { conversation, ...answer, answered: true },
};
/** A tool stage has no meaning without its call. */
const NOTHING: Partial<Record<Stage, Partial<StageInput>>> = {
  processToolCall: { toolCall: { ...toolCall, args: {} }, tool },
  processToolResult: { toolCall: { ...toolCall, args: {} }, tool, result: null },
};

export const plainInput = (stage: Stage): Partial<StageInput> => INPUTS[stage];
export const emptyInput = (stage: Stage): Partial<StageInput> => NOTHING[stage] ?? {};

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
  'tool-call': { ...call, args: {} },
  'tool-result': { ...call, result: null },
  'tool-call-input-streaming-start': call,
  'tool-call-delta': { toolCallId: 'call-1', argsTextDelta: '{}' },
  'tool-call-input-streaming-end': { toolCallId: 'call-1' },
  'tool-error': { ...call, error: 'broken' },
  'tool-output': { output: 'half' },
  'tool-output-denied': { ...call, reason: 'no' },
  source: { id: 's', sourceType: 'url', title: 'A page' },
  file: { data: 'aGk=', mimeType: 'text/plain' },
  'step-finish': step,
  finish: { ...step, messages: [] },
  error: { error: 'broken' },
};

/** A chunk of every type that passes the output chain, and two that no processor knows. */
export function sampleChunks(): Chunk[] {
  const types = [...CHUNK_TYPES.filter((type) => passesChain({ type })), 'of-a-later-version', 'data-custom'];
  return types.map((type) => {
    const chunk = { type, runId: TEST_RUN.runId, from: 'AGENT', object: {}, payload: PAYLOADS[type] ?? {} };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a test holds every sample against the chunk schema
    return chunk as unknown as Chunk;
  });
}
