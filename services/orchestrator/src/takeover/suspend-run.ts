// Suspends a run: its questions pass the output chain, everything is stored for the maximum wait, then the head is set
// to suspended, then the last chunk is published, then the command is acked. The orchestrator that receives an answer
// resumes the run in a new epoch.
import {
  MillraceError,
  SUSPENSION_LIMITS,
  toLoggedError,
  type Chunk,
  type HeldPending,
  type ShownPending,
  type Suspension,
  type ToolCall,
} from '@millrace/contracts';
import { setTimer } from '@millrace/bus';
import { completeSuspension } from './after-suspension.ts';
import { FencedError } from '../streams/fenced-error.ts';
import { forgetOriginals, forgetSuspension } from '../state/delete-run-state.ts';
import { fail, type RunOutcome } from '../state/interrupt.ts';
import { prolongRecords } from '../state/load-run.ts';
import { makeChunk } from '../transcript/make-chunk.ts';
import type { Run } from '../state/run-context.ts';
import { ignoreFenced, type EndingParts } from './store-ending.ts';
import {
  computeExpiryDueAt,
  listPending,
  readResumptions,
  takeBackSuspension,
  writeSuspension,
} from '../state/suspension-store.ts';
import { storeChanges } from './store-changes.ts';
import { retryThroughOutages } from '../streams/retry-outages.ts';
import { buildResultSoFar } from '../run/end-run.ts';
import { passPayload } from '../run/guard-own-texts.ts';
import { listShownMessages } from '../transcript/shown-steps.ts';

/**
 * `away`: the run is suspended and has no owner. `answered`: an answer is stored already, and the run continues.
 * Otherwise: the outcome that replaces the suspension.
 */
export type PutAway = 'away' | 'answered' | RunOutcome;

export async function suspendRun(parts: EndingParts, run: Run): Promise<PutAway> {
  if (await takeAnswers(run)) return 'answered';
  await announcePending(run);
  const stopped = run.checkInterruption() ?? (await run.checkpoint());
  if (stopped) return stopped;
  try {
    await storeSuspension(parts, run);
  } catch (error) {
    await takeBack(parts, run);
    if (!MillraceError.isInstance(error) || error.code !== 'message-too-large') throw error;
    const { code, message } = error;
    await forgetSuspension(parts.access, parts.store.getHead());
    return fail({ code, message });
  }
  await letGo(parts, run);
  return 'away';
}

/**
 * Removes the entries of the suspension. The run may have another owner by now that this one does not know; any
 * leftover is deleted when its timer fires.
 */
async function takeBack({ access, store }: EndingParts, { deps, ref }: Run): Promise<void> {
  await takeBackSuspension(access, store.getHead()).catch((error: unknown) => {
    const { runId } = ref;
    deps.log.warn({ runId, ...toLoggedError(error) }, 'suspension of a replaced owner not removed');
  });
}

/**
 * Releases the run: from here on it has no owner. If a step fails, the command is redelivered and the next orchestrator
 * completes the steps.
 */
async function letGo({ access, delivery, store }: EndingParts, { deps, ref }: Run): Promise<void> {
  try {
    await completeSuspension(access, store.getHead());
    await delivery.acknowledge();
  } catch (error) {
    deps.log.warn({ runId: ref.runId, ...toLoggedError(error) }, 'run suspended, ack failed');
  }
}

/** Adds stored answers to the run's state. Returns whether there were any. */
export async function takeAnswers(run: Run): Promise<boolean> {
  const { access } = run.deps;
  const open = listPending(run);
  if (open.length === 0) return false;
  const { tenant, runId } = run.ref;
  const answers = await retryThroughOutages(`the answers of ${tenant}.${runId}`, () =>
    readResumptions(access, run.ref, open),
  );
  for (const { id, answer } of answers) run.dispatch({ action: 'pending-resumed', id, ...answer });
  if (answers.length === 0) return false;
  const settled = answers.map(({ id }) => id);
  const clientCalls = open.flatMap((item) => (settled.includes(item.id) ? listSettledCalls(item) : []));
  const payload = { settled, ...(clientCalls.length > 0 && { clientCalls }) };
  run.transcript.append([makeChunk(runId, { type: 'resumed', payload })]);
  return true;
}

/** Returns the item as its question has shown it, if it is a call of the caller's tool. */
const listSettledCalls = ({ id, by, clientCall, told }: HeldPending) =>
  clientCall === undefined ? [] : [{ id, by, clientCall, ...told }];

/** Announces each question once: a repeated one keeps its words and its token. */
async function announcePending(run: Run): Promise<void> {
  for (const { id, payload, told } of run.getState().pending) {
    if (told) continue;
    const passed = payload === undefined ? undefined : await passPayload(run, payload);
    run.dispatch({ action: 'pending-told', id, ...passed });
  }
}

async function storeSuspension({ access, store, chunks, events, fenced }: EndingParts, run: Run): Promise<void> {
  const { tenant, runId } = run.ref;
  const { pending, steps } = run.getState();
  const { epoch, agent } = store.getHead();
  const now = access.clock.now();
  const expiresAt = Math.min(...pending.map((one) => Date.parse(one.expiresAt)));
  const ttlSeconds = Math.ceil(Math.max(expiresAt - now, 0) / 1_000) + SUSPENSION_LIMITS.graceSeconds;
  const shown = pending.map((one) => toShownPending(run, one));
  const lastChunk = makeSuspendedChunk(runId, shown, new Date(expiresAt).toISOString());
  const suspension: Suspension = {
    runId,
    agent,
    epoch,
    suspendedAt: new Date(now).toISOString(),
    pending: pending.map(openPending),
  };
  events.record({ event: 'run', status: 'suspended', step: steps.length });
  const [end, { prolonged, from }] = await retryThroughOutages(`the suspension of ${tenant}.${runId}`, () =>
    awaitAll([
      store.keepEnd({ result: buildResultSoFar(run), lastChunk }, ttlSeconds),
      prolongRecords(access, store.getHead(), ttlSeconds),
      events.flush(),
      // Before the head: an erasure deletes the changes of a run that is not active.
      storeChanges(run, 'partial'),
      writeSuspension(access, store.getHead(), suspension, ttlSeconds).then(() =>
        setTimer(access, { tenant, runId, epoch }, computeExpiryDueAt(expiresAt)),
      ),
    ]),
  );
  await ignoreFenced(access, store.getHead(), end, async () => {
    if (fenced.aborted) throw new FencedError(tenant, runId);
    const remainingMs = Math.max(run.deadlineAt - performance.now(), 1);
    const suspension = { at: now, expiresAt, remainingMs };
    const nextIndex = chunks.getNextIndex();
    await store.write({ status: 'suspended', suspension, asked: epoch, prolonged, end, nextIndex });
  });
  chunks.publishLast(lastChunk);
  await forgetOriginals(access, store.getHead(), from).catch((error: unknown) =>
    run.deps.log.warn(
      { runId, ...toLoggedError(error) },
      'originals of prolonged records not deleted, they stay until they expire',
    ),
  );
}

/** Waits for all writes before a failure is thrown, so that none is in flight when the suspension is removed. */
async function awaitAll<E, P>(works: readonly [Promise<E>, Promise<P>, ...Promise<unknown>[]]): Promise<[E, P]> {
  await Promise.allSettled(works);
  const [end, prolonged] = await Promise.all([works[0], works[1], Promise.all(works)]);
  return [end, prolonged];
}

function openPending({
  id,
  kind,
  by,
  stage,
  toolCall,
  payload,
  expiresAt,
  resumeToken,
  clientCall,
}: HeldPending): Suspension['pending'][number] {
  return {
    id,
    kind,
    by,
    expiresAt,
    resumeToken,
    ...(stage && { stage }),
    ...(toolCall && { toolCall }),
    ...(payload !== undefined && { payload }),
    ...(clientCall !== undefined && { clientCall }),
  };
}

/** Returns the question as followers may see it. A call is shown as it passed the output chain, with its answer. */
function toShownPending(
  run: Run,
  { id, kind, by, stage, position, told, expiresAt, resumeToken, clientCall }: HeldPending,
): ShownPending {
  const toolCall = position === undefined ? undefined : listPassedCalls(run)[position];
  return {
    id,
    kind,
    by,
    expiresAt,
    ...(stage && { stage }),
    ...(toolCall && { toolCall }),
    ...told,
    ...(clientCall !== undefined && { clientCall }),
    // The token of an approval is not shown: a caller must not approve its own call.
    ...(kind === 'question' && { resumeToken }),
  };
}

/**
 * Returns the calls of an answer that followers may see already: none if processOutputStep has changed the answer or
 * the agent's `release` buffers it.
 */
function listPassedCalls(run: Run): readonly ToolCall[] {
  const answer = run.getState().open?.answer;
  return answer && listShownMessages(run).some(({ id }) => id === answer.message.id) ? answer.toolCalls : [];
}

function makeSuspendedChunk(runId: string, pending: ShownPending[], expiresAt: string): Chunk {
  const [first] = pending;
  const { payload, resumeToken } = first ?? {};
  return makeChunk(runId, {
    type: 'suspended',
    payload: {
      ...(payload !== undefined && { payload }),
      ...(resumeToken !== undefined && { resumeToken }),
      expiresAt,
      pending,
    },
  });
}
