// A stored message is its JSON. Reads validate it, because a store outlives the version that wrote it.
import { listIssues, messageSchema, MillraceError, type Message } from '@millrace/contracts';

export function writeMessage(message: Message): string {
  return JSON.stringify(message);
}

/** @throws message-invalid if the stored text is not a message that this version knows */
export function readMessage(stored: string): Message {
  const parsed = messageSchema.safeParse(parseJson(stored));
  if (parsed.success) return parsed.data;
  throw new MillraceError('message-invalid', 'A stored message does not fit its schema.', {
    issues: listIssues(parsed.error),
    remedy: 'If a newer version wrote it, run this service in that version.',
  });
}

function parseJson(stored: string): unknown {
  try {
    return JSON.parse(stored);
  } catch {
    return undefined;
  }
}
