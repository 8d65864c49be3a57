// Reads from a chat request for which subject and in which thread it runs.
import { threadIdSchema } from '@millrace/contracts';
import type { ChatCompletionBody } from './chat-request.ts';

/** `isTask`: a chat client asks for a title or tags on its own, which must not become part of the conversation. */
export type ChatTarget = { subject: string | undefined; threadId: string | undefined; isTask: boolean };

const SUBJECT_HEADERS = ['x-millrace-subject', 'x-openwebui-user-id'];
const THREAD_HEADERS = ['x-millrace-thread', 'x-openwebui-chat-id', 'x-conversation-id'];

/** Values that are no valid id count as absent, except those of our own names, which the caller has chosen for us. */
export function readTarget(headers: Headers, body: ChatCompletionBody): ChatTarget {
  const isTask = (headers.get('x-openwebui-task') ?? '') !== '';
  const subject = pickId([
    ...SUBJECT_HEADERS.map((name) => headers.get(name)),
    body.safety_identifier ?? null,
    body.user ?? null,
  ]);
  const threads = [...THREAD_HEADERS.map((name) => headers.get(name)), body.metadata?.['thread_id'] ?? null];
  return { subject, threadId: isTask ? undefined : pickId(threads), isTask };
}

/** Returns the first value that is a valid id. */
export const pickId = (values: readonly (string | null)[]): string | undefined =>
  values.find((value): value is string => value !== null && threadIdSchema.safeParse(value).success);
