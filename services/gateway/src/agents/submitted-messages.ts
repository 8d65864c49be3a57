// Builds the messages that a run receives, for every protocol in which a client sends the whole conversation.
import {
  MillraceError,
  type Message,
  type MessagePart,
  type Role,
  nameText,
  readWithText,
  type ValueWithText,
  type ToolInvocationPart,
} from '@millrace/contracts';

export type ConvertOptions = {
  /** The agent accepts system messages of callers. Otherwise the run judges them as those of a user. */
  acceptsSystem: boolean;
  /** The thread of the run holds the messages up to the last answer: only later ones are new. */
  hasHistory: boolean;
};

/** Returns the messages after the last answer if the thread holds the earlier ones. */
export function selectNewMessages<M extends { role: string }>(
  messages: readonly M[],
  { hasHistory }: Pick<ConvertOptions, 'hasHistory'>,
): readonly M[] {
  return hasHistory ? messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1) : messages;
}

/**
 * Returns the new messages. A thread does not hold a run that waited for results of the client: then the messages from the
 * last one of the user on are new.
 */
export function selectSubmitted<M extends { role: string }>(
  messages: readonly M[],
  options: Pick<ConvertOptions, 'hasHistory'>,
): readonly M[] {
  const selected = selectNewMessages(messages, options);
  if (selected.every(({ role }) => role !== 'tool')) return selected;
  const before = messages.slice(0, messages.length - selected.length);
  return messages.slice(
    Math.max(
      before.findLastIndex(({ role }) => role === 'user'),
      0,
    ),
  );
}

/** @param path of the messages in the request */
export const createNoMessageError = (path: string): MillraceError =>
  new MillraceError('run-refused', 'The request has no new message of the user.', {
    path,
    remedy: 'In a conversation, add a message of the user after the last answer.',
  });

/** @param name of the participant */
export const createMessage = (
  role: Role,
  parts: MessagePart[],
  { name, id = crypto.randomUUID() }: { name?: string | null | undefined; id?: string | undefined } = {},
): Message => ({
  id,
  role,
  ...(name !== undefined && name !== null && { name }),
  createdAt: new Date().toISOString(),
  content: { format: 2, parts },
});

export const isSystemRole = (role: string): boolean => role === 'system' || role === 'developer';

/** Only the model's provider knows the role `developer`: a run has `system`. */
export function convertRole<R extends string>(
  role: R | 'system' | 'developer',
  { acceptsSystem }: Pick<ConvertOptions, 'acceptsSystem'>,
): Exclude<R, 'developer'> | 'system' | 'user' {
  if (isSystemRole(role)) return acceptsSystem ? 'system' : 'user';
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- isSystemRole excludes the two roles
  return role as Exclude<R, 'developer'>;
}

type SubmittedCall = { id: string; name: string; arguments: string; output?: string };

/** A result is a text; a text with a JSON object or list is that. */
export function readOutput(text: string): ValueWithText {
  const read = /^\s*[[{]/.test(text) ? readWithText(text) : { value: text };
  return typeof read.value === 'string' ? { value: text } : read;
}

/**
 * Converts a call of a client's tool that a client sends back to a part of a message.
 * @param call with an id that no other call of the history has, and with its result in the request, if there is one
 */
export function convertCall({ id, name, arguments: text, output }: SubmittedCall): ToolInvocationPart {
  const args = readWithText(text);
  const call = { toolCallId: id, toolName: name, args: args.value, ...nameText('args', args.text) };
  const result = output === undefined ? undefined : readOutput(output);
  return {
    type: 'tool-invocation',
    toolInvocation:
      result === undefined
        ? { ...call, state: 'call' }
        : { ...call, state: 'result', result: result.value, ...nameText('result', result.text) },
  };
}
