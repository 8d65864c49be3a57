// Answers a pending item of a suspended run, or releases the run. Retried without a reply: the id of the answer makes
// it idempotent.
import type { JsonValue, RunStatus } from '@millrace/contracts';
import type { ClientConnection } from './connection.ts';
import { retryRequest } from './retry-request.ts';

export type PendingAnswer = { runId: string; token: string; data: JsonValue };

/** @returns `epoch`: of the suspension. @throws resume-token-invalid, resume-token-used, run-not-suspended, suspension-expired, message-too-large */
export async function answerPending(
  { ask, bus }: ClientConnection,
  verb: 'resume' | 'answer',
  { runId, token, data }: PendingAnswer,
  signal: AbortSignal,
): Promise<{ epoch?: number | undefined }> {
  const request = { token, data, resumeId: crypto.randomUUID() };
  return retryRequest(`answering ${runId}`, bus.log, signal, () => ask(verb, request, { run: runId, signal }));
}

/** @throws run-not-suspended */
export async function releaseRun(
  { ask, bus }: ClientConnection,
  runId: string,
  signal: AbortSignal,
): Promise<RunStatus> {
  const releasing = () => ask('release', {}, { run: runId, signal });
  return (await retryRequest(`releasing ${runId}`, bus.log, signal, releasing)).status;
}
