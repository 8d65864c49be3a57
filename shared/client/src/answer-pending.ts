// Answers a pending item of a suspended run, or releases the run. Retried without a reply: the id of the answer makes
// it idempotent.
import {
  DENIED_UNEDITED,
  type ApiRequestInput,
  type JsonObject,
  type JsonValue,
  type RunStatus,
} from '@millrace/contracts';
import type { ClientConnection } from './connection.ts';
import { retryRequest } from './retry-request.ts';

export type PendingAnswer = { runId: string; token: string; data: JsonValue; hold?: boolean | undefined };

/** @param args replace the arguments of the approved call */
export async function resumePending(
  connection: ClientConnection,
  { runId, token, data, args }: PendingAnswer & { args?: JsonObject | undefined },
  signal: AbortSignal,
): Promise<{ epoch?: number | undefined }> {
  const answer = args === undefined ? { data } : { data: DENIED_UNEDITED, edited: { data, args } };
  return sendAnswer(connection, 'resume', runId, { token, ...answer }, signal);
}

/** @returns `epoch`: of the suspension. @throws resume-token-invalid, resume-token-used, run-not-suspended, suspension-expired, message-too-large */
export async function answerPending(
  connection: ClientConnection,
  { runId, token, data, hold }: PendingAnswer,
  signal: AbortSignal,
): Promise<{ epoch?: number | undefined }> {
  return sendAnswer(connection, 'answer', runId, { token, data, ...(hold !== undefined && { hold }) }, signal);
}

async function sendAnswer<V extends 'resume' | 'answer'>(
  { ask, bus }: ClientConnection,
  verb: V,
  runId: string,
  answer: ApiRequestInput<V>,
  signal: AbortSignal,
): Promise<{ epoch?: number | undefined }> {
  const request = { ...answer, resumeId: crypto.randomUUID() };
  return retryRequest(`answering ${runId}`, bus.log, signal, () => ask(verb, request, { run: runId, signal }));
}

/** @throws run-not-suspended */
export async function releaseRun(
  { ask, bus }: ClientConnection,
  runId: string,
  signal: AbortSignal,
): Promise<RunStatus> {
  const sendRelease = () => ask('release', {}, { run: runId, signal });
  return (await retryRequest(`releasing ${runId}`, bus.log, signal, sendRelease)).status;
}
