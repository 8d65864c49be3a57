// Reads values of the caller's context as bounded text, and adds text of a caller to a run. Such a text is a message of the source
// input, so that later guards judge it, and its label is untrusted.
import { readMessageText, type JsonValue, type Label, type Message } from '@millrace/contracts';
import type { CommonArgs, ProcessInputArgs } from '@millrace/processor';
import { z } from 'zod';

/** The orchestrator replaces the origin by that of the entry. */
export const UNTRUSTED: Label = { origin: 'caller', trust: 'untrusted' };
export const TRUSTED: Label = { origin: 'instructions', trust: 'trusted' };

const MAX_KEY_LENGTH = 200;
export const contextKeySchema = z.string().min(1).max(MAX_KEY_LENGTH);
/** Name that a text refers to; it may also be a key of the context. */
export const referenceSchema = z
  .string()
  .regex(/^[A-Za-z][\w-]{0,63}$/, 'must begin with a letter, then letters, digits, "_" and "-", at most 64');

/** Returns the value as text: a string as it is, other values as JSON. undefined: the caller sent no such value. */
export function readContextText(
  { requestContext }: Pick<CommonArgs, 'requestContext'>,
  key: string,
): string | undefined {
  const value: JsonValue | undefined = requestContext.get(key);
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
}

type OfEntry = Pick<CommonArgs, 'run' | 'entry'> & Pick<ProcessInputArgs, 'messageList'>;

/** No caller can submit a message with this id, because it begins with the id of the run. */
const buildCallerMessageId = ({ run, entry }: OfEntry): string => `${run.runId}-${entry}`;

/** Separates the texts for a reader of the whole message. */
const LINE_END = '\n';

/** Adds a system message of the caller, with a part for each text. Histories store no system messages. */
export function addCallerTexts(args: OfEntry, texts: readonly string[]): void {
  const message: Message = {
    id: buildCallerMessageId(args),
    role: 'system',
    createdAt: new Date().toISOString(),
    content: {
      format: 2,
      parts: texts.map((text, at) => ({
        type: 'text',
        text: at === texts.length - 1 ? text : `${text}${LINE_END}`,
        label: UNTRUSTED,
      })),
    },
  };
  args.messageList.add(message, 'input');
}

/**
 * Returns the texts as the guards passed them, and the system message that contains them. undefined: a guard removed the message or a
 * part of it.
 */
export function readCallerTexts(args: OfEntry, count: number): { texts: string[]; content: string } | undefined {
  const id = buildCallerMessageId(args);
  const message = args.messageList.get.input.db().find((one) => one.id === id);
  const texts = message?.content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? [];
  if (!message || texts.length !== count) return undefined;
  const last = texts.length - 1;
  const plain = texts.map((text, at) =>
    at < last && text.endsWith(LINE_END) ? text.slice(0, -LINE_END.length) : text,
  );
  return { texts: plain, content: readMessageText(message) };
}
