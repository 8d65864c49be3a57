// Converts messages to the reference's form: `createdAt` is a Date. The other members are shared, so an in-place edit
// changes the message that is sent.
import { isObject, MillraceError, messageSchema, buildTextMessage, type Message, type Role } from '@millrace/contracts';
import { copyJson } from './json-values.ts';

/** In place: the same objects at every look. A date is written as the text that it was, so that it is no change. */
export function withDates(messages: Message[]): Message[] {
  for (const message of messages) {
    const text: unknown = message.createdAt;
    if (typeof text !== 'string') continue;
    const date = new Date(text);
    Object.defineProperty(date, 'toJSON', { value: () => text });
    Reflect.set(message, 'createdAt', date);
  }
  return messages;
}

export function omitDates(messages: readonly Message[]): void {
  for (const message of messages) {
    const date: unknown = message.createdAt;
    if (date instanceof Date) message.createdAt = date.toJSON() ?? '';
  }
}

const ROLES: readonly unknown[] = ['user', 'assistant', 'system', 'tool'] satisfies Role[];

/**
 * Converts a processor's value to a message: a text, a message, or `{role, content}` and `{role, parts}` of model calls
 * and chat components. Returns a copy.
 */
export function toMessage(given: unknown, role: Role): Message {
  if (typeof given === 'string') return buildTextMessage(crypto.randomUUID(), role, given);
  if (!isObject(given) || !ROLES.includes(given['role'])) throw createUnreadableError('it has no role');
  const { parts, content, ...rest } = given;
  const whole = isObject(content) ? { ...content, format: 2 } : { format: 2, parts: toParts(content ?? parts) };
  // The members keep their order, so that an unchanged message compares equal.
  const defaults = { id: given['id'] ?? crypto.randomUUID(), createdAt: given['createdAt'] ?? new Date() };
  const copy = copyJson({ ...('content' in given ? given : rest), ...defaults, content: whole }, 'message');
  const message = messageSchema.safeParse(copy);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has just been found to be one
  if (message.success) return copy as unknown as Message;
  throw createUnreadableError(
    message.error.issues.map(({ path, message: why }) => `${path.join('.')} ${why}`).join('; '),
  );
}

/** Files and calls have other members there than in a message: guessing would lose some of them. */
function toParts(content: unknown): unknown[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (Array.isArray(content) && content.every((part) => isObject(part) && part['type'] === 'text')) return content;
  throw createUnreadableError('its content is neither a text nor text parts nor a message’s own');
}

function createUnreadableError(why: string): MillraceError {
  return new MillraceError('message-invalid', `A processor gave a message that cannot be read: ${why}.`, {
    remedy: 'Give messages as {id, role, createdAt, content: {format: 2, parts}}.',
  });
}

/** The text of a system message: a text, its text parts, or a message of those. */
export function toSystemText(given: unknown): string {
  const content: unknown = isObject(given) ? (given['content'] ?? given['parts']) : given;
  if (typeof content === 'string') return content;
  if (!isObject(content) && !Array.isArray(content)) throw createUnreadableError('a system message without a text');
  const parts: unknown = Array.isArray(content) ? content : content['parts'];
  const texts = Array.isArray(parts) ? parts.map((part) => (isObject(part) ? part['text'] : undefined)) : [];
  const flat: unknown = isObject(content) ? content['content'] : undefined;
  if (texts.length === 0 && typeof flat === 'string') return flat;
  return texts.filter((text) => typeof text === 'string').join('\n');
}
