// A stored message is its JSON. Reads validate it, because a store outlives the version that wrote it.
import { listIssues, messageSchema, MillraceError, type Message, type RunJudges } from '@millrace/contracts';
import { z } from 'zod';

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

/** A stored message with the processors that judged it, as its run listed them. */
type JudgedMessage = Message & { judges?: string[] };
const judgesSchema = z.array(z.string()).catch([]);

/** Records the judges of a message, whatever a caller or a processor has put there. */
export function recordJudges(message: Message, judges: readonly string[]): Message {
  const { judges: _, ...plain }: JudgedMessage = message;
  const judged: JudgedMessage = { ...plain, judges: [...judges] };
  return judges.length === 0 ? plain : judged;
}

/** Returns the message without its record, and those of the run's judges that have not judged it. */
export function takeJudges(message: Message, { input, output }: RunJudges): { message: Message; missing: string[] } {
  const { judges, ...plain }: JudgedMessage = message;
  const known = new Set(judgesSchema.parse(judges));
  const wanted = message.role === 'user' ? input : output;
  return { message: plain, missing: wanted.filter((judge) => !known.has(judge)) };
}

function parseJson(stored: string): unknown {
  try {
    return JSON.parse(stored);
  } catch {
    return undefined;
  }
}
