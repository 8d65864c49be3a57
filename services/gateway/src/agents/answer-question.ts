// Answers the question with which the newest run of a thread waits. Protocols of chats have no form for a question: the
// next message on the thread is the answer.
import type { Client, Run } from '@millrace/client';
import { MillraceError, type ApiAnswer, type ShownPending } from '@millrace/contracts';

/** Returns undefined for a thread without runs of this caller. */
export async function findNewestRun(client: Client, threadId: string): Promise<ApiAnswer<'runs-newest'> | undefined> {
  try {
    return await client.runs.newest(threadId);
  } catch (error) {
    if (MillraceError.isInstance(error) && error.code === 'run-unknown') return undefined;
    throw error;
  }
}

/** Returns the open questions of a run of the caller; none if the run has ended or is not the caller's. */
export async function listQuestions(client: Client, runId: string): Promise<ShownPending[]> {
  try {
    const { status, pending = [] } = await client.runs.get(runId);
    return status === 'suspended' ? pending.filter(({ kind }) => kind === 'question') : [];
  } catch (error) {
    if (MillraceError.isInstance(error) && error.code === 'run-unknown') return [];
    throw error;
  }
}

/**
 * Answers with a text, and returns the run from the answer on. Returns undefined if the newest run of the thread has no
 * question that a text answers; a question about a call is decided.
 * @param signal stops reading; the run continues
 */
export async function answerNewestQuestion(
  client: Client,
  threadId: string,
  text: string,
  signal: AbortSignal,
): Promise<Run | undefined> {
  const newest = await findNewestRun(client, threadId);
  if (newest?.run.status !== 'suspended') return undefined;
  const { runId } = newest.run;
  const question = (await listQuestions(client, runId)).find(({ stage }) => stage === undefined);
  if (question?.resumeToken === undefined) return undefined;
  const run = await readSuspended(client, runId, signal);
  return run.answer(question.resumeToken, text, { signal });
}

/** Reads to the suspension, so that an answer continues after it. */
export async function readSuspended(client: Client, runId: string, signal: AbortSignal): Promise<Run> {
  const run = await client.follow(runId, { signal });
  await run.result();
  return run;
}
