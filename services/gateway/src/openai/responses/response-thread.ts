// Chooses the thread in which a response continues a conversation.
import { MillraceError } from '@millrace/contracts';
import type { Access } from '../../access/access.ts';
import { findNewestRun } from '../../agents/answer-question.ts';
import { readRunId } from './response-wire.ts';
import type { ResponseRequest } from './responses-request.ts';

export const readThread = ({ conversation }: ResponseRequest): string | undefined =>
  typeof conversation === 'string' ? conversation : conversation?.id;

/** A first response of an agent with a history gets a thread, so that a later one can follow it. @throws run-refused */
export async function chooseThread(
  body: ResponseRequest,
  access: Access,
  hasHistory: boolean,
): Promise<string | undefined> {
  const { previous_response_id: previous, background, store } = body;
  const threadId = readThread(body);
  if (!hasHistory && background === true && !previous) throw refuseThread('background', NO_HISTORY);
  if (!previous) return threadId ?? (hasHistory && store !== false ? `responses-${crypto.randomUUID()}` : undefined);
  const runId = readRunId(previous);
  if (runId === undefined) throw new MillraceError('run-unknown', 'The previous response does not exist.');
  const client = await access.connectClient();
  const { summary } = await client.runs.get(runId);
  if (!hasHistory) throw refuseThread('previous_response_id', NO_HISTORY);
  if (summary?.threadId === undefined) throw refuseThread('previous_response_id', 'that response has no conversation');
  const newest = await findNewestRun(client, summary.threadId);
  if (newest?.run.runId !== runId)
    throw refuseThread('previous_response_id', 'a later response has continued the conversation, which cannot branch');
  return summary.threadId;
}

const NO_HISTORY = 'the agent has no history';
const refuseThread = (path: string, reason: string): MillraceError =>
  new MillraceError('run-refused', `"${path}" cannot be used: ${reason}.`, {
    path,
    remedy: 'Send the whole history as input, or name the same "conversation" in each request.',
  });
