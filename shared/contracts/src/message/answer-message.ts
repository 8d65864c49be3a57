// Treats a model's answer as a message: its parts are the only source of its text and its calls. If processOutputStep
// changes one of them, the next processor sees the change in the others, at both ends of the wire.
import { applyOps } from './apply-ops.ts';
import type { Conversation } from './conversation.ts';
import type { Changes } from './changes.ts';
import { readMessageText, type Message, type MessagePart, type ToolInvocationPart } from './message.ts';
import { pickCall, type ToolCall } from './model.ts';

export function readToolCalls(message: Message): ToolCall[] {
  return message.content.parts.filter(isOwnCall).map((part) => pickCall(part.toolInvocation));
}

/** Puts the whole text at the position of the first text part. */
export function withText(message: Message, text: string): Message {
  const first = message.content.parts.findIndex((part) => part.type === 'text');
  const others = message.content.parts.filter((part, at) => part.type !== 'text' || at === first);
  const parts =
    first < 0
      ? [...others, buildTextPart(text)]
      : others.map((part) => (part.type === 'text' ? buildTextPart(text) : part));
  return { ...message, content: { ...message.content, parts } };
}

const buildTextPart = (text: string): MessagePart => ({ type: 'text', text });

/**
 * Keeps the positions of existing calls, removes the others and appends new ones. Calls with the same id are matched in
 * order.
 */
export function withToolCalls(message: Message, calls: readonly ToolCall[]): Message {
  const left = [...calls];
  const kept = message.content.parts.flatMap((part): MessagePart[] => {
    if (!isOwnCall(part)) return [part];
    const at = left.findIndex((call) => call.toolCallId === part.toolInvocation.toolCallId);
    const [call] = at < 0 ? [] : left.splice(at, 1);
    return call ? [{ ...part, toolInvocation: { ...part.toolInvocation, ...call } }] : [];
  });
  const added = left.map((call): MessagePart => ({
    type: 'tool-invocation',
    toolInvocation: { state: 'call', ...call },
  }));
  return { ...message, content: { ...message.content, parts: [...kept, ...added] } };
}

/** Returns true if the orchestrator makes the call, not the provider. */
export function isOwnCall(part: MessagePart): part is ToolInvocationPart {
  return part.type === 'tool-invocation' && part['providerExecuted'] !== true;
}

type AnswerInput = {
  conversation?: Conversation | undefined;
  messageId?: string | undefined;
  text?: string | undefined;
  toolCalls?: ToolCall[] | undefined;
};

/**
 * Aligns message, text and calls after a verdict of processOutputStep changed one of them.
 * @param next the input with the changes applied
 */
export function withOneAnswer<I extends AnswerInput>(before: I, next: I, { text, toolCalls }: Changes): I {
  const { messageId, conversation } = next;
  if (messageId === undefined || !conversation) return next;
  const was = answerIn(before.conversation, messageId);
  const is = answerIn(conversation, messageId);
  if (was === is && text === undefined && toolCalls === undefined) return next;
  // The message was not sent, so this replica cannot have changed it.
  if (!was && !is) return next;
  const named = text === undefined ? is : withText(is ?? clearMessage(was), text);
  const message = toolCalls === undefined ? named : withToolCalls(named ?? clearMessage(was), toolCalls);
  if (!message) return { ...next, text: '', toolCalls: [] };
  const written = message === is ? conversation : applyOps(conversation, [{ op: 'add', source: 'response', message }]);
  return { ...next, conversation: written, text: readMessageText(message), toolCalls: readToolCalls(message) };
}

function answerIn(conversation: Conversation | undefined, messageId: string): Message | undefined {
  return conversation?.entries.find(({ message }) => message.id === messageId)?.message;
}

function clearMessage(message: Message | undefined): Message {
  if (!message) throw new Error('a verdict changes an answer that the input does not have');
  return { ...message, content: { ...message.content, parts: [] } };
}
