// Gives the answers of a page to the runs that wait for them, and finds the position from which the page reads on.
import type { Client, Run } from '@millrace/client';
import { MillraceError, type Position, type ShownPending } from '@millrace/contracts';
import { findRun, spellCallId } from '../agents/client-calls.ts';
import { giveAnswers, type Decision } from '../agents/run-mark.ts';
import type { ApprovalDecision, UiAnswers } from './ui-answers.ts';

/** Maximum number of suspended runs that one request answers, besides the one that it continues. */
const MAX_ANSWERED_RUNS = 32;

type RunAddress = { client: Client; agent: string; left: AbortSignal };
/** What a run waits for. `calls`: calls of the page that have no result. */
type OpenAnswers = { answers: Decision[]; calls: number };
/** `answers`: those that this request has given. */
type SettledAnswers = UiAnswers & { answers: readonly Decision[] };

/**
 * Gives the answers to all suspended runs of the chat but the continued one. Returns the newest run that has received answers. A run that has
 * been answered, or that has ended, waits for nothing. @throws run-refused for answers to more runs than MAX_ANSWERED_RUNS
 */
export async function answerOtherRuns(
  given: readonly UiAnswers[],
  chat: string,
  { client, agent, left }: RunAddress,
): Promise<Run | undefined> {
  const others = given.filter(
    ({ isContinued, decisions, results }) => !isContinued && decisions.length + results.length > 0,
  );
  if (others.length === 0) return undefined;
  const { runs } = await client.runs.list({ threadId: chat, agent, status: 'suspended', newest: true, limit: 1_000 });
  const suspended = new Set(runs.map(({ runId }) => runId));
  const waiting = others.filter(({ runId }) => suspended.has(runId));
  if (waiting.length > MAX_ANSWERED_RUNS)
    throw new MillraceError('run-refused', `The messages answer ${waiting.length} suspended runs.`, {
      path: 'messages',
      remedy: `Answer at most ${MAX_ANSWERED_RUNS} runs in one request.`,
    });
  let newest: SettledAnswers | undefined;
  for (const one of waiting) {
    const { answers } = matchAnswers(one, (await findRun(client, one.runId))?.pending ?? []);
    await giveAnswers({ client, runId: one.runId, answers });
    if (answers.length > 0) newest = { ...one, answers };
  }
  return newest && readOn(newest, { client, left });
}

/**
 * Gives the answers to the run of the message that the client continues, and returns the run from its questions on; also if the answers have been
 * given before. Returns undefined if the message has no answers for a run of the agent.
 * @throws run-not-suspended for a decision that no run of the caller has asked for, run-refused if results are missing
 */
export async function continueAnswered(
  given: readonly UiAnswers[],
  { client, agent, left }: RunAddress,
): Promise<Run | undefined> {
  const one = given.findLast(({ isContinued }) => isContinued);
  if (!one) return undefined;
  const { runId, decisions, results } = one;
  const known = await findRun(client, runId);
  const isOwn = known?.summary?.agent === agent;
  if (!isOwn && decisions.length > 0) throw createNotWaitingError();
  if (!isOwn) return undefined;
  const { answers, calls } = matchAnswers(one, known.status === 'suspended' ? (known.pending ?? []) : []);
  await giveAnswers({ client, runId, answers });
  if (answers.length > 0) return readOn({ ...one, answers }, { client, left });
  if (calls > 0) throw createMissingResultsError(calls);
  if (decisions.length + results.length === 0) return undefined;
  // A page repeats the request by itself as long as its answers are open.
  if (known.status === 'suspended') throw createNotWaitingError();
  const run = await readOn({ ...one, answers: [] }, { client, left });
  if (!run && decisions.length > 0) throw createNotWaitingError();
  return run;
}

/** Releases the run that waits for calls of the last answer without a result, because a new message has left them. */
export async function releaseLeftRun(given: readonly UiAnswers[], { client, agent }: RunAddress): Promise<void> {
  const one = given.findLast(({ isNewest }) => isNewest);
  const known = one && (await findRun(client, one.runId));
  if (!one || known?.summary?.agent !== agent || known.status !== 'suspended') return;
  const { answers, calls } = matchAnswers(one, known.pending ?? []);
  if (calls > 0 && answers.length === 0) await client.runs.release(known.runId);
}

/** Decides open questions. Results count if each pending call has one: the run continues with all of them. */
function matchAnswers({ runId, decisions, results }: UiAnswers, pending: readonly ShownPending[]): OpenAnswers {
  const decided = new Map(decisions.map((decision) => [decision.id, decision]));
  const byCall = new Map(results.map(({ id, data }) => [id, data]));
  const given: Decision[] = [];
  const calls: Decision[] = [];
  let missing = 0;
  for (const { id, kind, clientCall, resumeToken: token } of pending) {
    if (kind !== 'question' || token === undefined) continue;
    const decision = decided.get(id);
    const result = clientCall === undefined ? undefined : byCall.get(spellCallId(runId, clientCall));
    if (result) calls.push({ token, data: result });
    else if (clientCall !== undefined) missing += 1;
    else if (decision) given.push({ token, data: toApproval(decision) });
  }
  return { answers: missing === 0 ? [...given, ...calls] : given, calls: missing };
}

const toApproval = ({ approved, reason }: ApprovalDecision) => ({ approved, ...(reason !== undefined && { reason }) });

/** Reads a run from its first continuation by one of the answers on. Returns undefined if none has continued it. */
async function readOn(
  answered: SettledAnswers,
  { client, left }: Pick<RunAddress, 'client' | 'left'>,
): Promise<Run | undefined> {
  const { runId, answers } = answered;
  const answeredTokens = answers.map(({ token }) => token);
  const found = new AbortController();
  const signal = AbortSignal.any([left, found.signal]);
  const from = await findContinuation(await client.follow(runId, { answeredTokens, signal }), answered);
  found.abort();
  return from && client.follow(runId, { from, answeredTokens, signal: left });
}

/** Returns the position behind the first `resumed` of the answers; of a run that has ended instead, that of its end, for a reader of new answers. */
async function findContinuation(
  run: Run,
  { runId, decisions, results, answers }: SettledAnswers,
): Promise<Position | undefined> {
  const decided = new Set(decisions.map(({ id }) => id));
  const called = new Set(results.map(({ id }) => id));
  const isAnswered = ({ clientCall = -1 }) => called.has(spellCallId(runId, clientCall));
  let end: Position | undefined;
  for await (const { epoch, index, chunk } of run.positions) {
    end = { epoch, index };
    if (chunk.type !== 'resumed') continue;
    const { settled = [], clientCalls = [] } = chunk.payload;
    if (settled.some((id) => decided.has(id)) || clientCalls.some(isAnswered)) return { epoch, index: index + 1 };
  }
  return answers.length > 0 ? end : undefined;
}

const createNotWaitingError = (): MillraceError =>
  new MillraceError('run-not-suspended', 'The run does not wait for these decisions.', {
    remedy: 'Load the chat again: another page may have answered.',
  });

const createMissingResultsError = (calls: number): MillraceError =>
  new MillraceError('run-refused', `The run waits for ${calls} results of the page that the message does not have.`, {
    path: 'messages',
    remedy: 'Send the request again when each call has its result.',
  });
