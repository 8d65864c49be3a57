// Answers what a suspended run waits for: the token is looked up in what is stored of the run, the answer is written once, and any
// orchestrator is told. A run that has gone on for another answer meanwhile finds this one itself.
import {
  MAX_VALUE_NESTING,
  MillraceError,
  SUSPENSION_LIMITS,
  isFinal,
  isNestedDeeper,
  type ApiRequest,
  type JsonValue,
  type OpenPending,
  type PendingKind,
  type RunHead,
  type RunStatus,
} from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import { createHash, timingSafeEqual } from 'node:crypto';
import { isOfEarlierRun, readSuspension, takeBackResumption, writeResumption } from '../state/suspension-store.ts';
import { readHead } from '../state/run-head.ts';
import { wakeRun } from '../state/wake-run.ts';

/**
 * @param kinds what may be answered: a caller must not approve its own call, whatever token it has
 * @returns the epoch in which that was asked
 * @throws run-not-suspended, resume-token-invalid, resume-token-used, message-too-large, queue-full, bus-unreachable
 */
export async function resumeRun(
  access: JetStreamAccess,
  head: RunHead,
  { token, data, resumeId = crypto.randomUUID() }: ApiRequest<'resume'>,
  kinds: readonly PendingKind[],
): Promise<{ epoch: number }> {
  const { runId, status } = head;
  refuseDeepData(data);
  refuseLargeData(data);
  const suspension = isFinal(status) || status === 'queued' ? undefined : await readSuspension(access, head);
  if (!suspension || isOfEarlierRun(suspension, head)) throw notSuspended(runId, status);
  const pending = suspension.pending.find((one) => isSame(one.resumeToken, token));
  if (!pending || !kinds.includes(pending.kind)) throw invalidToken(runId);
  refuseExpired(pending, head, access.clock.now());
  const answered = await writeResumption(access, head, pending, { resumeId, data });
  const wake = () => wakeRun(access, head, `${pending.id}.${head.epoch}`);
  if (answered === 'used') {
    // Whoever gave the first answer may have been told that the bus was away, and nobody of the answer: it counts from now on.
    if (status === 'suspended') await wake();
    throw usedToken(runId);
  }
  try {
    // It may have ended just then, and what is kept of it has been forgotten.
    const now = (await readHead(access, head.tenant, runId))?.value.status ?? status;
    if (isFinal(now)) throw notSuspended(runId, now);
    await wake();
  } catch (error) {
    if (answered !== 'same') await takeBack(access, head, pending.id, answered.revision);
    throw error;
  }
  return { epoch: suspension.epoch };
}

/** Whoever was refused may try again. */
async function takeBack(access: JetStreamAccess, head: RunHead, pending: string, revision: number): Promise<void> {
  try {
    await takeBackResumption(access, head, pending, revision);
  } catch (error) {
    access.bus.log.warn({ runId: head.runId, error: String(error) }, 'an answer that was refused could not be removed');
  }
}

/** In the same time, wherever they differ. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** It stands in records of the run, which somebody has to be able to read. */
function refuseDeepData(data: JsonValue): void {
  if (!isNestedDeeper(data, MAX_VALUE_NESTING)) return;
  throw new MillraceError('message-invalid', `The answer is nested deeper than ${MAX_VALUE_NESTING}.`, {
    path: 'data',
    remedy: 'Send it flatter, or as a text.',
  });
}

function refuseLargeData(data: JsonValue): void {
  const { length } = JSON.stringify(data);
  const { maxDataChars } = SUSPENSION_LIMITS;
  if (length <= maxDataChars) return;
  throw new MillraceError('message-too-large', `The answer has ${length} characters; it may have ${maxDataChars}.`, {
    path: 'data',
    remedy: 'Send less text, or a reference to it.',
  });
}

function refuseExpired({ expiresAt }: OpenPending, { runId }: RunHead, now: number): void {
  if (now <= Date.parse(expiresAt)) return;
  throw new MillraceError('suspension-expired', `"${runId}" waited for an answer until ${expiresAt}.`, {
    remedy: 'Submit the request again.',
  });
}

export function notSuspended(runId: string, status: RunStatus): MillraceError {
  return new MillraceError('run-not-suspended', `"${runId}" waits for nothing: it is ${status}.`, {
    remedy: 'List the runs that wait for an answer: `millrace runs suspended`, or the verb suspended-list.',
  });
}

/** One answer for tokens that nobody has given out and for those of an approval: what exists is not told. */
function invalidToken(runId: string): MillraceError {
  return new MillraceError('resume-token-invalid', `"${runId}" waits for nothing that has this token.`, {
    path: 'token',
    remedy:
      'A question has its token in the chunk "suspended"; approvals are given by operators, by `millrace runs approve`.',
  });
}

function usedToken(runId: string): MillraceError {
  return new MillraceError('resume-token-used', `What has this token was answered before ("${runId}").`, {
    path: 'token',
    remedy: 'A token is for one answer: follow the run to see what came of it.',
  });
}
