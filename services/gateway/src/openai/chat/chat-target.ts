// Reads from a chat request for which subject and in which thread it runs.
import { THREAD_HEADER, readIdHeader } from '../../access/caller-headers.ts';
import { chooseSubject, pickId } from '../choose-subject.ts';
import type { ChatCompletionBody } from './chat-request.ts';

/** `sendsAll`: the client sends the whole conversation. `isTask`: a chat client asks for a title or tags on its own, which must not become part of the conversation. */
export type ChatTarget = {
  subject: string | undefined;
  threadId: string | undefined;
  isTask: boolean;
  sendsAll: boolean;
};

const OTHER_SUBJECTS = ['x-openwebui-user-id'];
const OTHER_THREADS = ['x-openwebui-chat-id', 'x-conversation-id'];

/** Threads of other clients that are no valid id count as absent. @throws message-invalid for an invalid header of ours */
export function readTarget(headers: Headers, body: ChatCompletionBody): ChatTarget {
  const isTask = (headers.get('x-openwebui-task') ?? '') !== '';
  const subject = chooseSubject(headers, body, OTHER_SUBJECTS);
  const others = [...OTHER_THREADS.map((name) => headers.get(name)), body.metadata?.['thread_id'] ?? null];
  const threadId = readIdHeader(headers, THREAD_HEADER) ?? pickId(others);
  const sendsAll = headers.has('x-openwebui-chat-id');
  return { subject, threadId: isTask ? undefined : threadId, isTask, sendsAll };
}
