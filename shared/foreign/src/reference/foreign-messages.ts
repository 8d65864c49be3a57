// Messages as the reference has them: `createdAt` is a Date. The rest is the same, so that what a processor edits in place is the message
// that travels.
import { MillraceError, messageSchema, textMessage, type Message, type Role } from '@millrace/contracts';
import { isRecord, jsonCopy } from './json-values.ts';

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

export function withoutDates(messages: readonly Message[]): void {
  for (const message of messages) {
    const date: unknown = message.createdAt;
    if (date instanceof Date) message.createdAt = date.toJSON() ?? '';
  }
}

const ROLES: readonly unknown[] = ['user', 'assistant', 'system', 'tool'] satisfies Role[];

/**
 * What a processor gives where a message may stand: a text, a message, or `{role, content}` and `{role, parts}` as model calls and chat
 * components have them. A copy.
 * @throws message-invalid, not-json
 */
export function messageOf(given: unknown, role: Role): Message {
  if (typeof given === 'string') return textMessage(crypto.randomUUID(), role, given);
  if (!isRecord(given) || !ROLES.includes(given['role'])) throw unreadable('it has no role');
  const { parts, content, ...rest } = given;
  const whole = isRecord(content) ? { ...content, format: 2 } : { format: 2, parts: partsOf(content ?? parts) };
  // The members stay in their order: what is unchanged must look so.
  const defaults = { id: given['id'] ?? crypto.randomUUID(), createdAt: given['createdAt'] ?? new Date() };
  const copy = jsonCopy({ ...('content' in given ? given : rest), ...defaults, content: whole }, 'message');
  const message = messageSchema.safeParse(copy);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has just been found to be one
  if (message.success) return copy as unknown as Message;
  throw unreadable(message.error.issues.map(({ path, message: why }) => `${path.join('.')} ${why}`).join('; '));
}

/** Files and calls have other members there than in a message: guessing would lose some of them. */
function partsOf(content: unknown): unknown[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (Array.isArray(content) && content.every((part) => isRecord(part) && part['type'] === 'text')) return content;
  throw unreadable('its content is neither a text nor text parts nor a message’s own');
}

function unreadable(why: string): MillraceError {
  return new MillraceError('message-invalid', `A processor gave a message that cannot be read: ${why}.`, {
    remedy: 'Give messages as {id, role, createdAt, content: {format: 2, parts}}.',
  });
}

/** The text of a system message: a text, its text parts, or a message of those. */
export function systemTextOf(given: unknown): string {
  const content: unknown = isRecord(given) ? (given['content'] ?? given['parts']) : given;
  if (typeof content === 'string') return content;
  if (!isRecord(content) && !Array.isArray(content)) throw unreadable('a system message without a text');
  const parts: unknown = Array.isArray(content) ? content : content['parts'];
  const texts = Array.isArray(parts) ? parts.map((part) => (isRecord(part) ? part['text'] : undefined)) : [];
  const flat: unknown = isRecord(content) ? content['content'] : undefined;
  if (texts.length === 0 && typeof flat === 'string') return flat;
  return texts.filter((text) => typeof text === 'string').join('\n');
}
