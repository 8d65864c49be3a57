// Conversations for tests of the replies, without a server.
import type { ModelConversation, ModelTurn } from '../conversation.ts';
import { findCannedReply } from '../canned/canned-reply.ts';

export const user = (text: string): ModelTurn => ({ role: 'user', text });
export const system = (text: string): ModelTurn => ({ role: 'system', text });
export const assistant = (text: string): ModelTurn => ({ role: 'assistant', text, toolCalls: [] });
export const makeCallTurn = (id: string, name: string, args: object): ModelTurn => ({
  role: 'assistant',
  text: '',
  toolCalls: [{ id, name, arguments: JSON.stringify(args) }],
});
export const toolResult = (callId: string, result: unknown): ModelTurn => ({
  role: 'tool',
  callId,
  text: typeof result === 'string' ? result : JSON.stringify(result),
});

const calculator = {
  name: 'calculator',
  description: 'Evaluates an arithmetic expression.',
  parameters: { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] },
};

const clock = {
  name: 'clock',
  description: 'Returns the current date and time.',
  parameters: { type: 'object', properties: { timeZone: { type: 'string' } } },
};

export const conversation = (
  turns: readonly ModelTurn[],
  settings: Partial<ModelConversation> = {},
): ModelConversation => ({
  turns,
  tools: [calculator, clock],
  toolChoice: 'auto',
  parallelToolCalls: true,
  format: { type: 'text' },
  ...settings,
});

export const cannedText = (...turns: readonly ModelTurn[]): string => findCannedReply(conversation(turns)).text;
