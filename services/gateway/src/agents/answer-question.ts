// Answers the question with which the newest run of a thread waits. Protocols of chats have no form for a question: the
// next message on the thread is the answer.
import type { Client, Run } from '@millrace/client';
import { MillraceError, isFinal, type ApiAnswer, type Message, type ShownPending } from '@millrace/contracts';
import type { CallMark, OpenedRequest } from '../recent/open-request.ts';
import { findMark, openAndContinue, readEnd, type FoundMark } from './run-mark.ts';

/** Returns undefined for a thread without runs of this caller, and for a newest run of another agent than `agent`. */
export async function findNewestRun(
  client: Client,
  threadId: string,
  agent?: string,
): Promise<ApiAnswer<'runs-newest'> | undefined> {
  try {
    const newest = await client.runs.newest(threadId);
    return agent === undefined || newest.run.agent === agent ? newest : undefined;
  } catch (error) {
    if (MillraceError.isInstance(error) && error.code === 'run-unknown') return undefined;
    throw error;
  }
}

/**
 * Cancels the newest run of a thread, and resolves when it has ended and its messages are stored.
 * @param check throws for the input of a run that is not to be ended
 */
export async function endNewestRun(
  client: Client,
  { threadId, agent }: Pick<TextAnswer, 'threadId' | 'agent'>,
  check: (input: readonly Message[] | undefined) => unknown,
): Promise<void> {
  const newest = await findNewestRun(client, threadId, agent);
  if (!newest || isFinal(newest.run.status)) return;
  check(newest.input);
  const { runId } = newest.run;
  await client.runs.cancel(runId);
  await (await client.follow(runId)).result();
}

/** Returns the open questions of a run of the agent; none if the run has ended or is not the caller's. */
async function listQuestions(client: Client, runId: string, agent: string): Promise<ShownPending[]> {
  try {
    const { status, summary, pending = [] } = await client.runs.get(runId);
    return status === 'suspended' && summary?.agent === agent ? pending.filter(({ kind }) => kind === 'question') : [];
  } catch (error) {
    if (MillraceError.isInstance(error) && error.code === 'run-unknown') return [];
    throw error;
  }
}

type TextAnswer = {
  agent: string;
  threadId: string;
  text: string;
  /** A run that is not answered. */
  except?: string | undefined;
};
export type AnsweredRun = { run: Run; opened: OpenedRequest };

/**
 * Answers with a text, and returns the run from the answer on. Returns undefined if the newest run of the thread is one
 * of another agent, or has no question that a text answers; a question about a call is decided.
 * @param left stops reading; the run continues
 */
export async function answerNewestQuestion(
  client: Client,
  { agent, threadId, text, except }: TextAnswer,
  { mark, left }: { mark: CallMark; left: AbortSignal },
): Promise<AnsweredRun | undefined> {
  const [repeated, newest] = await Promise.all([findMark(mark), findNewestRun(client, threadId, agent)]);
  if (repeated) return repeatAnswer(client, agent, { ...repeated, text, mark, left });
  if (newest?.run.status !== 'suspended') return undefined;
  const { runId } = newest.run;
  if (runId === except) return undefined;
  const question = (await listQuestions(client, runId, agent)).find(isAnsweredByText);
  if (question?.resumeToken === undefined) return undefined;
  const from = await readEnd(await client.follow(runId, { signal: left }));
  const marked = { from, before: {}, question: { runId, id: question.id } };
  const answers = [{ token: question.resumeToken, data: text }];
  return openAndContinue(mark, marked, { client, runId, answers, left });
}

/** The first request may have been lost before its answer arrived. */
async function repeatAnswer(
  client: Client,
  agent: string,
  { found, marked, text, mark, left }: FoundMark & { text: string; mark: CallMark; left: AbortSignal },
): Promise<AnsweredRun | undefined> {
  if (!marked.question) return undefined;
  const { runId, id } = marked.question;
  const answers = (await listQuestions(client, runId, agent)).flatMap((question) =>
    question.id === id && question.resumeToken !== undefined ? [{ token: question.resumeToken, data: text }] : [],
  );
  return openAndContinue(mark, marked, { client, runId, answers, left }, found);
}

/** A text is no result of a tool that the client executes. */
const isAnsweredByText = ({ stage, clientCall }: ShownPending): boolean =>
  stage === undefined && clientCall === undefined;
