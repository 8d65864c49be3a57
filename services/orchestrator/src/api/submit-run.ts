// Submits a run once. The head is created first, so that the run is known from then on and another request under its id
// is refused while anything of it is stored; then the command is published. Every step can be repeated with the same
// id.
import {
  MillraceError,
  chooseRequestVersion,
  isFinal,
  stateKeys,
  readOwner,
  readParty,
  type RunHead,
  type RunRequest,
  type StoredRequest,
} from '@millrace/contracts';
import { publishDurably, deleteEntry, writeEntry, type AbsentEntry, type JetStreamAccess } from '@millrace/bus';
import { chooseTombstoneTtl, locateHead, createQueuedHead, computeStateTtlSeconds } from '../head/run-head.ts';
import { hasTombstone, isCancelAsked, noteJoin } from '../state/run-store.ts';
import { cancelRun } from './cancel-run.ts';
import { createHash } from 'node:crypto';

/** Lifetime of the tombstone of a removed entry: longer than a read-back takes. */
const TOMBSTONE_SECONDS = 60;
/** Number of times that the head may change between reading and writing it. */
const ATTEMPTS = 5;

/**
 * @param submission names this submission among those of the same request
 * @returns whether this submission has created the run
 * @throws run-exists, queue-full, bus-unreachable, store-unavailable
 */
export async function submitRun(
  access: JetStreamAccess,
  request: StoredRequest,
  agentRevision: number,
  submission?: string,
): Promise<boolean> {
  const { bus } = access;
  const { tenant, runId } = request;
  const command = {
    command: 'start' as const,
    v: chooseRequestVersion(request),
    request,
    requestHash: hashRequest(request),
    submittedAt: access.clock.now(),
  };
  const own = { ...createQueuedHead(command, bus.id), ...(submission !== undefined && { submission }) };
  const there = await makeHead(access, own);
  const isGivenUp = await joinRun(access, own, there);
  const isCreated = there.replaced !== undefined || (submission !== undefined && there.submission === submission);
  if (there.status !== 'queued' || isGivenUp) return isCreated;
  // A request with the same id and content that was published a moment ago is stored once.
  // The revision distinguishes a run that was deleted since then.
  const msgID = `${tenant}.${runId}.${command.requestHash}.${there.revision}`;
  const known = { headRevision: there.revision, agentRevision };
  const subject = access.runShards.nextSubject(readParty(request), Buffer.byteLength(JSON.stringify(request)));
  const queueing = publishDurably(access, subject, { ...command, ...known }, msgID, { isQueue: true });
  // A cancel writes its key, then a marker in place of an absent head, then reads the head again. A head that replaced no marker was
  // created before, so that the cancel sees it.
  const cancelling = there.replaced?.revision === 0 ? undefined : findCancel(access, request, submission);
  const [queued, cancelled] = await Promise.allSettled([queueing, cancelling]);
  if (queued.status === 'rejected') {
    // A refused run is not queued.
    if (there.replaced) await removeHead(access, tenant, runId, there.revision, there.replaced);
    throw queued.reason;
  }
  if (cancelled.status === 'rejected') throw cancelled.reason;
  if (cancelled.value) await cancelRun(access, { tenant, run: runId, caller: readOwner(request), ...cancelled.value });
  return isCreated;
}

/**
 * Joins the run if another submission has created it, so that a cancel of that one does not hold for this one.
 * @returns whether this submission was given up before, and so does not join
 */
async function joinRun(access: JetStreamAccess, own: RunHead, there: SubmittedRun): Promise<boolean> {
  const { tenant, runId: run, submission } = own;
  if (there.replaced || there.submission === submission || isFinal(there.status)) return false;
  const tombstone = { tenant, run, caller: readOwner(own), submission };
  if (submission !== undefined && (await hasTombstone(access, tombstone))) return true;
  await noteJoin(access, { tenant, run, submission }, computeStateTtlSeconds(own, access.clock.now()));
  return false;
}

/**
 * Returns the cancel that the run has to end by; that of a submission does not hold if another one has joined the run. The caller's own
 * tombstone counts too: it was written before the head existed.
 */
async function findCancel(
  access: JetStreamAccess,
  request: StoredRequest,
  submission: string | undefined,
): Promise<{ submission?: string | undefined } | undefined> {
  const { tenant, runId, caller } = request;
  const tombstone = { tenant, run: runId, caller: readOwner(request) };
  const [isAsked, isOfCaller, isOfSubmission] = await Promise.all([
    isCancelAsked(access, tenant, runId),
    caller !== undefined && hasTombstone(access, tombstone),
    submission !== undefined && hasTombstone(access, { ...tombstone, submission }),
  ]);
  if (isAsked || isOfCaller) return {};
  return isOfSubmission ? { submission } : undefined;
}

/** `submission`: of the run, which another submission may have created. `replaced`: stored in place of a new head before. */
type SubmittedRun = Pick<RunHead, 'status' | 'submission'> & { revision: number; replaced?: AbsentEntry };

async function makeHead(access: JetStreamAccess, head: RunHead): Promise<SubmittedRun> {
  const { tenant, runId, requestHash: hash } = head;
  const key = stateKeys.head(tenant, runId);
  const ttlSeconds = computeStateTtlSeconds(head, access.clock.now());
  let replaced: AbsentEntry = { revision: 0 };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const { revision: expectedRevision } = replaced;
    const written = await writeEntry(access, access.bus.names.state, key, head, { expectedRevision, ttlSeconds });
    const { submission } = head;
    if ('revision' in written) return { status: 'queued', submission, revision: written.revision, replaced };
    const there = await locateHead(access, tenant, runId);
    if ('error' in there) throw createUnreadableError(runId, there.error);
    if ('value' in there) {
      if (there.value.requestHash !== hash || readOwner(there.value) !== readOwner(head)) throw runExists(runId);
      const { status, submission: first } = there.value;
      return { status, submission: first, revision: there.revision };
    }
    // An earlier run with that id has expired, or a cancel arrived before this submission: its leftover is no entry, but has a revision.
    replaced = there;
  }
  throw new MillraceError('state-conflict', `The state of "${runId}" changes too often.`, { remedy: 'Try again.' });
}

async function removeHead(
  access: JetStreamAccess,
  tenant: string,
  runId: string,
  revision: number,
  replaced: AbsentEntry,
): Promise<void> {
  const ttlSeconds = chooseTombstoneTtl(replaced, TOMBSTONE_SECONDS);
  try {
    await deleteEntry(access, access.bus.names.state, stateKeys.head(tenant, runId), revision, ttlSeconds);
  } catch (error) {
    access.bus.log.warn({ runId, error: String(error) }, 'head of a run that was not queued could not be removed');
  }
}

function runExists(runId: string): MillraceError {
  return new MillraceError('run-exists', `"${runId}" was submitted before as another request.`, {
    path: 'runId',
    remedy: 'Choose another run id: an id identifies one request while its result is stored.',
  });
}

function createUnreadableError(runId: string, cause: MillraceError): MillraceError {
  return new MillraceError('run-state-unreadable', `The stored state of "${runId}" does not fit this version.`, {
    cause,
    path: 'runId',
    remedy: 'Choose another run id.',
  });
}

/** Hashes the members that make two submissions the same request: agent, roles and contents of the messages, thread, resource, context, overrides and settings of the model. Ids and times of messages, replaced ids, trace and deadline are excluded, because a retrying client may create them again. Pure. */
export function hashRequest(given: RunRequest): string {
  const { agent, messages, threadId, resourceId, requestContext } = given;
  const { inputProcessors, outputProcessors, errorProcessors, maxProcessorRetries } = given;
  const texts = messages.map(({ role, content }) => ({ role, content }));
  const { structuredOutput, modelSettings, toolChoice, release, clientTools, parallelToolCalls } = given;
  const overrides = { inputProcessors, outputProcessors, errorProcessors, maxProcessorRetries };
  const settings = { structuredOutput, modelSettings, toolChoice, release, clientTools, parallelToolCalls };
  const request = { agent, said: texts, threadId, resourceId, requestContext, ...overrides, ...settings };
  return createHash('sha256').update(JSON.stringify(request, sortMembers)).digest('base64url');
}

/** Sorts members by name: two writers of JSON may use different orders. */
function sortMembers(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
