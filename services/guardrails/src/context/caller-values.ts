// Reads values of the caller's context as bounded text, and adds text of a caller to a run. Such a text is a message of the source
// input, so that later guards judge it, and its label is untrusted.
import { type JsonValue, type Label, type Message } from '@millrace/contracts';
import type { CommonArgs, ProcessInputArgs } from '@millrace/processor';
import { z } from 'zod';

/** The orchestrator replaces the origin by that of the entry. */
export const UNTRUSTED: Label = { origin: 'caller', trust: 'untrusted' };
export const TRUSTED: Label = { origin: 'instructions', trust: 'trusted' };

const MAX_KEY_LENGTH = 200;
export const contextKeySchema = z.string().min(1).max(MAX_KEY_LENGTH);

/** Returns the value as text: a string as it is, other values as JSON. undefined: the caller sent no such value. */
export function readContextText(
  { requestContext }: Pick<CommonArgs, 'requestContext'>,
  key: string,
): string | undefined {
  const value: JsonValue | undefined = requestContext.get(key);
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Adds a system message of the caller. No caller can submit a message with its id, which begins with the id of the run.
 * Histories store no system messages.
 */
export function addCallerText({ messageList, run, entry }: ProcessInputArgs, text: string): void {
  const message: Message = {
    id: `${run.runId}-${entry}`,
    role: 'system',
    createdAt: new Date().toISOString(),
    content: { format: 2, parts: [{ type: 'text', text, label: UNTRUSTED }] },
  };
  messageList.add(message, 'input');
}
