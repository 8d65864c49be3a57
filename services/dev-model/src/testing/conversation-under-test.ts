// Conversations for tests of what the stand-in answers, without a server.
import type { Conversation, Turn } from '../conversation.ts';
import { standInReply } from '../answer/answer.ts';

export const user = (text: string): Turn => ({ role: 'user', text });
export const system = (text: string): Turn => ({ role: 'system', text });
export const assistant = (text: string): Turn => ({ role: 'assistant', text, toolCalls: [] });
export const called = (id: string, name: string, args: object): Turn => ({
  role: 'assistant',
  text: '',
  toolCalls: [{ id, name, arguments: JSON.stringify(args) }],
});
export const toolResult = (callId: string, result: unknown): Turn => ({
  role: 'tool',
  callId,
  text: typeof result === 'string' ? result : JSON.stringify(result),
});

export const calculator = {
  name: 'calculator',
  description: 'Evaluates an arithmetic expression.',
  parameters: { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] },
};

export const clock = {
  name: 'clock',
  description: 'Tells the current date and time.',
  parameters: { type: 'object', properties: { timeZone: { type: 'string' } } },
};

export const conversation = (turns: readonly Turn[], settings: Partial<Conversation> = {}): Conversation => ({
  turns,
  tools: [calculator, clock],
  toolChoice: 'auto',
  parallelToolCalls: true,
  format: { type: 'text' },
  ...settings,
});

export const answerTo = (...turns: readonly Turn[]): string => standInReply(conversation(turns)).text;
