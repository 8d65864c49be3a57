// A model's answer as a message: its parts are the one source of its text and its calls. What processOutputStep changes of the one is
// seen in the others by the next processor, at both ends of the wire.
import { applyOps } from './apply-ops.ts';
import type { Conversation } from './conversation.ts';
import type { Changes } from './changes.ts';
import { messageText, type Message, type MessagePart, type ToolInvocationPart } from './message.ts';
import type { ToolCall } from './model.ts';

export function toolCallsOf(message: Message): ToolCall[] {
  return message.content.parts.filter(isOwnCall).map((part) => {
    const { toolCallId, toolName, args } = part.toolInvocation;
    return { toolCallId, toolName, args };
  });
}

/** The whole text in the place of the first text part. */
export function withText(message: Message, text: string): Message {
  const first = message.content.parts.findIndex((part) => part.type === 'text');
  const others = message.content.parts.filter((part, at) => part.type !== 'text' || at === first);
  const parts =
    first < 0 ? [...others, textPart(text)] : others.map((part) => (part.type === 'text' ? textPart(text) : part));
  return { ...message, content: { ...message.content, parts } };
}

const textPart = (text: string): MessagePart => ({ type: 'text', text });

/** Calls that are there keep their place, others are removed, new ones come last. Calls of one id are taken in order. */
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

/** A call that tools of ours answer, not the provider. */
export function isOwnCall(part: MessagePart): part is ToolInvocationPart {
  return part.type === 'tool-invocation' && part['providerExecuted'] !== true;
}

type Answer = {
  conversation?: Conversation | undefined;
  messageId?: string | undefined;
  text?: string | undefined;
  toolCalls?: ToolCall[] | undefined;
};

/**
 * The input of processOutputStep after a verdict: message, text and calls say the same again, whichever of them was changed.
 * @param next with the changes applied
 */
export function withOneAnswer<I extends Answer>(before: I, next: I, { text, toolCalls }: Changes): I {
  const { messageId, conversation } = next;
  if (messageId === undefined || !conversation) return next;
  const was = answerIn(before.conversation, messageId);
  const is = answerIn(conversation, messageId);
  if (was === is && text === undefined && toolCalls === undefined) return next;
  // It was not sent: nobody here can have changed it.
  if (!was && !is) return next;
  const named = text === undefined ? is : withText(is ?? emptied(was), text);
  const message = toolCalls === undefined ? named : withToolCalls(named ?? emptied(was), toolCalls);
  if (!message) return { ...next, text: '', toolCalls: [] };
  const written = message === is ? conversation : applyOps(conversation, [{ op: 'add', source: 'response', message }]);
  return { ...next, conversation: written, text: messageText(message), toolCalls: toolCallsOf(message) };
}

function answerIn(conversation: Conversation | undefined, messageId: string): Message | undefined {
  return conversation?.entries.find(({ message }) => message.id === messageId)?.message;
}

function emptied(message: Message | undefined): Message {
  if (!message) throw new Error('an answer was to be changed that was never there');
  return { ...message, content: { ...message.content, parts: [] } };
}
