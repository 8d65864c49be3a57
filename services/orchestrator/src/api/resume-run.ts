// Answers a question of a suspended run: looks the token up in the stored questions, writes the answer once, and
// publishes a resume command. A run that is active again because of another answer finds this one itself.
import {
  CLIENT_TOOL_LIMITS,
  DENIED_UNEDITED,
  MAX_VALUE_NESTING,
  MillraceError,
  SUSPENSION_LIMITS,
  clientResultSchema,
  isFinal,
  isObject,
  isNestedDeeper,
  measureJson,
  writeWithText,
  type ApiRequest,
  type JsonValue,
  type OpenPending,
  type PendingKind,
  type RunHead,
  type RunStatus,
  type ToolDefinition,
} from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import { createHash, timingSafeEqual } from 'node:crypto';
import { createUnknownRunError } from './run-address.ts';
import { refuseBadEdit } from './refuse-bad-edit.ts';
import { isOfEarlierRun, readSuspension, takeBackResumption, writeResumption } from '../state/suspension-store.ts';
import { isAtRest, readHead } from '../head/run-head.ts';
import { wakeRun } from '../takeover/after-suspension.ts';

/** What a caller of the verbs may answer. */
export type AnswerRules = {
  /** The questions that may be answered: a caller must not approve its own call, whatever token it has. */
  kinds: readonly PendingKind[];
  /** Reads the tools of the agent, for an answer with edited arguments. */
  readTools: () => Promise<readonly ToolDefinition[]>;
};

/**
 * @returns the epoch of the question
 * @throws run-not-suspended, run-unknown, message-invalid, tool-arguments-invalid, resume-token-invalid, resume-token-used, message-too-large, queue-full, bus-unreachable
 */
export async function resumeRun(
  access: JetStreamAccess,
  head: RunHead,
  { token, data: given, edited: changed, resumeId = crypto.randomUUID(), hold = false }: ApiRequest<'resume'>,
  { kinds, readTools }: AnswerRules,
): Promise<{ epoch: number }> {
  const { runId, status } = head;
  refuseDeepData(changed ? { ...changed } : given);
  const suspension = isFinal(status) || status === 'queued' ? undefined : await readSuspension(access, head);
  if (!suspension || isOfEarlierRun(suspension, head)) throw createNotSuspendedError(runId, status);
  const pending = suspension.pending.find((one) => isSame(one.resumeToken, token));
  if (!pending || !kinds.includes(pending.kind)) throw createInvalidTokenError(runId);
  refuseExpired(pending, head, access.clock.now());
  // Only the answer to a call of a client's tool has a text.
  const data = pending.clientCall === undefined ? omitOutputText(given) : given;
  const edited = changed && { ...changed, data: omitOutputText(changed.data) };
  const answer = edited ?? data;
  if (pending.clientCall === undefined) refuseLargeData(answer, SUSPENSION_LIMITS.maxDataChars);
  else refuseBadResult(data);
  if (edited) refuseBadEdit(edited, pending, await readTools());
  const resumption = edited ? { resumeId, data: DENIED_UNEDITED, edited } : { resumeId, data };
  const { by, revision, isHeld } = await writeResumption(access, head, pending, { ...resumption, held: hold });
  let now: RunHead | undefined = head;
  try {
    now = (await readHead(access, head.tenant, runId))?.value;
    // Another request may have received an error of the bus after its answer was stored without a resume command: the
    // answer counts from now on, because its revision has changed. The run may have just been suspended.
    if (!hasEnded(now) && !isHeld) {
      const waking = wakeRun(access, head, { reason: pending.id, revision });
      // A caller that sends an answer with `hold` sends a last one without it, which publishes a command.
      await (by === 'other' && hold ? waking.catch(() => undefined) : waking);
    }
  } catch (error) {
    if (by !== 'this' || (await takeBack(access, head, pending.id, revision))) throw error;
  }
  // The end or the deletion of the run may have deleted its answers before this one was stored.
  if (hasEnded(now)) await removeAnswer(access, head, pending.id, revision);
  if (!now) throw createUnknownRunError(runId);
  if (by === 'other') throw createUsedTokenError(runId);
  if (hasEnded(now)) throw createNotSuspendedError(runId, now.status);
  return { epoch: suspension.epoch };
}

/** Returns true also if the head has been deleted. */
const hasEnded = (head: RunHead | undefined): boolean => !head || isFinal(head.status);

/**
 * Removes the answer, so that the refused caller can retry. Returns false if the run is active: its owner has used the answer, or will find
 * it without a command.
 */
async function takeBack(access: JetStreamAccess, head: RunHead, pending: string, revision: number): Promise<boolean> {
  const now = await readHead(access, head.tenant, head.runId).catch(() => undefined);
  if (now && !isAtRest(now.value)) return false;
  await removeAnswer(access, head, pending, revision);
  return true;
}

/** Removes the answer if no further request has stored it again. */
async function removeAnswer(access: JetStreamAccess, head: RunHead, pending: string, revision: number): Promise<void> {
  try {
    await takeBackResumption(access, head, pending, revision);
  } catch (error) {
    access.bus.log.warn({ runId: head.runId, error: String(error) }, 'refused answer could not be removed');
  }
}

/** Returns the answer without the text that the reader of its request has added. */
function omitOutputText(data: JsonValue): JsonValue {
  if (!isObject(data) || Object.keys(data).length !== 2 || data['output'] === undefined) return data;
  const { output, outputText } = data;
  const isText = typeof outputText === 'string' && writeWithText(output, outputText, 'data.output') === outputText;
  return isText ? { output } : data;
}

/** Compares in constant time. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** The answer is stored in the run's records, which must stay readable. */
function refuseDeepData(data: JsonValue): void {
  if (!isNestedDeeper(data, MAX_VALUE_NESTING)) return;
  throw new MillraceError('message-invalid', `The answer is nested deeper than ${MAX_VALUE_NESTING}.`, {
    path: 'data',
    remedy: 'Flatten it, or send it as a text.',
  });
}

/** @throws message-invalid, message-too-large */
function refuseBadResult(data: JsonValue): void {
  const result = clientResultSchema.safeParse(data);
  if (!result.success)
    throw new MillraceError('message-invalid', 'The answer is not the result of a tool.', {
      path: 'data',
      remedy: 'Send {"output": …} or {"error": "…"}.',
    });
  const { output = null, outputText } = 'output' in result.data ? result.data : {};
  refuseLargeData(output, CLIENT_TOOL_LIMITS.maxResultLength, outputText);
}

function refuseLargeData(data: JsonValue, maxChars: number, text?: string): void {
  const length = measureJson(data, text);
  if (length <= maxChars) return;
  throw new MillraceError('message-too-large', `The answer has ${length} characters; the maximum is ${maxChars}.`, {
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

export function createNotSuspendedError(runId: string, status: RunStatus): MillraceError {
  return new MillraceError('run-not-suspended', `"${runId}" is not suspended: it is ${status}.`, {
    remedy: 'List the suspended runs with `millrace runs suspended` or the verb suspended-list.',
  });
}

/** The same error for unknown tokens and for those of approvals, so that it does not reveal their existence. */
function createInvalidTokenError(runId: string): MillraceError {
  return new MillraceError('resume-token-invalid', `"${runId}" has no open question with this token.`, {
    path: 'token',
    remedy:
      'The chunk "suspended" holds the token of a question; operators answer approvals with `millrace runs approve`.',
  });
}

function createUsedTokenError(runId: string): MillraceError {
  return new MillraceError('resume-token-used', `The question with this token was answered before ("${runId}").`, {
    path: 'token',
    remedy: 'A token is valid for one answer: follow the run to see its effect.',
  });
}
