// A message as it is stored: its JSON. What is read back is checked, because a store outlives the version that wrote it.
import { issuesOf, messageSchema, MillraceError, type Message } from '@millrace/contracts';

export function writeMessage(message: Message): string {
  return JSON.stringify(message);
}

/** @throws message-invalid when what is stored is not a message that this version knows */
export function readMessage(stored: string): Message {
  const parsed = messageSchema.safeParse(parseJson(stored));
  if (parsed.success) return parsed.data;
  throw new MillraceError('message-invalid', 'A stored message does not fit its schema.', {
    issues: issuesOf(parsed.error),
    remedy: 'Was it written by a newer version? Run this service in that version.',
  });
}

function parseJson(stored: string): unknown {
  try {
    return JSON.parse(stored);
  } catch {
    return undefined;
  }
}
