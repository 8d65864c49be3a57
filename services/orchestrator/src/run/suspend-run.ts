// A run is put away: what it asks is shown as the output chain lets it through, everything is stored for as long as the answer may take,
// then the head says so, then the last chunk, then the command is acknowledged. Whoever gets an answer goes on with it, in a new epoch.
import {
  MillraceError,
  SUSPENSION_LIMITS,
  loggedError,
  type Chunk,
  type HeldPending,
  type ShownPending,
  type Suspension,
  type ToolCall,
} from '@millrace/contracts';
import { setTimer } from '@millrace/bus';
import { afterSuspension } from '../state/after-suspension.ts';
import { FencedError } from '../state/fenced-error.ts';
import { forgetOriginals, forgetSuspension } from '../state/forget-run.ts';
import { fail, type Outcome } from '../state/interrupt.ts';
import { prolongRecords } from '../state/load-run.ts';
import { chunk } from '../state/make-chunk.ts';
import type { Run } from '../state/run-context.ts';
import { unlessFenced, type EndingParts } from '../state/store-ending.ts';
import {
  expiryDueAt,
  pendingOf,
  readResumptions,
  takeBackSuspension,
  writeSuspension,
} from '../state/suspension-store.ts';
import { throughOutages } from '../state/through-outages.ts';
import { resultSoFar } from './end-run.ts';
import { passPayload } from './pass-texts.ts';
import { shownMessages } from './shown-steps.ts';

/** `away`: the run is put away, and nobody's. `answered`: an answer is there by now: the run goes on. Or what becomes of it instead. */
export type PutAway = 'away' | 'answered' | Outcome;

export async function suspendRun(parts: EndingParts, run: Run): Promise<PutAway> {
  if (await takeAnswers(run)) return 'answered';
  await tellPending(run);
  const stopped = run.interruption() ?? (await run.checkpoint());
  if (stopped) return stopped;
  try {
    await storeSuspension(parts, run);
  } catch (error) {
    await takeBack(parts, run);
    if (!MillraceError.isInstance(error) || error.code !== 'message-too-large') throw error;
    const { code, message } = error;
    await forgetSuspension(parts.access, run.ref.tenant, run.ref.runId);
    return fail({ code, message });
  }
  await letGo(parts, run);
  return 'away';
}

/** It may have an owner by now whom this one does not know of. What stays all the same is forgotten when its timer is due. */
async function takeBack({ access, store }: EndingParts, { deps, ref }: Run): Promise<void> {
  await takeBackSuspension(access, store.head()).catch((error: unknown) => {
    const { runId } = ref;
    deps.log.warn({ runId, ...loggedError(error) }, 'the suspension of a replaced owner could not be taken back');
  });
}

/** From here on the run is nobody's. Where this breaks its command comes again, and whoever gets it does the rest. */
async function letGo({ access, delivery, store }: EndingParts, { deps, ref }: Run): Promise<void> {
  try {
    await afterSuspension(access, store.head());
    await delivery.acknowledge();
  } catch (error) {
    deps.log.warn(
      { runId: ref.runId, ...loggedError(error) },
      'a run is put away, and its command was not acknowledged',
    );
  }
}

/** Answers that have come are the state's from now on. Whether there were any. */
export async function takeAnswers(run: Run): Promise<boolean> {
  const { access } = run.deps;
  const open = pendingOf(run);
  if (open.length === 0) return false;
  const { tenant, runId } = run.ref;
  const answers = await throughOutages(`the answers of ${tenant}.${runId}`, () =>
    readResumptions(access, run.ref, open),
  );
  for (const answer of answers) run.dispatch({ action: 'pending-resumed', ...answer });
  if (answers.length === 0) return false;
  run.chunks.publish([chunk(runId, { type: 'resumed', payload: { settled: answers.map(({ id }) => id) } })]);
  return true;
}

/** Once: what was asked before is asked in the same words, with the same token. */
async function tellPending(run: Run): Promise<void> {
  for (const { id, payload, told } of run.state().pending) {
    if (told) continue;
    const passed = payload === undefined ? undefined : await passPayload(run, payload);
    run.dispatch({ action: 'pending-told', id, ...passed });
  }
}

async function storeSuspension({ access, store, chunks, events, fenced }: EndingParts, run: Run): Promise<void> {
  const { tenant, runId } = run.ref;
  const { pending, steps } = run.state();
  const { epoch, agent } = store.head();
  const now = access.clock.now();
  const expiresAt = Math.min(...pending.map((one) => Date.parse(one.expiresAt)));
  const ttlSeconds = Math.ceil(Math.max(expiresAt - now, 0) / 1_000) + SUSPENSION_LIMITS.graceSeconds;
  const shown = pending.map((one) => shownPending(run, one));
  const lastChunk = suspendedChunk(runId, shown, new Date(expiresAt).toISOString());
  const suspension: Suspension = {
    runId,
    agent,
    epoch,
    suspendedAt: new Date(now).toISOString(),
    pending: pending.map(openPending),
  };
  events.record({ event: 'run', status: 'suspended', step: steps.length });
  const [end, { prolonged, from }] = await throughOutages(`the suspension of ${tenant}.${runId}`, () =>
    allDone([
      store.keepEnd({ result: resultSoFar(run), lastChunk }, ttlSeconds),
      prolongRecords(access, store.head(), ttlSeconds),
      events.flush(),
      writeSuspension(access, store.head(), suspension, ttlSeconds).then(() =>
        setTimer(access, { tenant, runId, epoch }, expiryDueAt(expiresAt)),
      ),
    ]),
  );
  await unlessFenced(access, store.head(), end, async () => {
    if (fenced.aborted) throw new FencedError(tenant, runId);
    const remainingMs = Math.max(run.deadlineAt - performance.now(), 1);
    const suspension = { at: now, expiresAt, remainingMs };
    const nextIndex = chunks.nextIndex();
    await store.write({ status: 'suspended', suspension, asked: epoch, prolonged, end, nextIndex });
  });
  chunks.publishLast(lastChunk);
  await forgetOriginals(access, store.head(), from).catch((error: unknown) =>
    run.deps.log.warn({ runId, ...loggedError(error) }, 'records that are stored again stay until they expire'),
  );
}

/** Waits for all writes before a failure is thrown: none of them is in flight when they are taken back. */
async function allDone<E, P>(works: readonly [Promise<E>, Promise<P>, ...Promise<unknown>[]]): Promise<[E, P]> {
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
  };
}

/** As anybody may see it who follows the run. A call is shown as it passed the output chain, with its answer. */
function shownPending(
  run: Run,
  { id, kind, by, stage, position, told, expiresAt, resumeToken }: HeldPending,
): ShownPending {
  const toolCall = position === undefined ? undefined : passedCalls(run)[position];
  return {
    id,
    kind,
    by,
    expiresAt,
    ...(stage && { stage }),
    ...(toolCall && { toolCall }),
    ...told,
    // Nobody approves his own call.
    ...(kind === 'question' && { resumeToken }),
  };
}

/** None of an answer that nobody may see yet: processOutputStep has worded it anew, or the agent's `release` holds it. */
function passedCalls(run: Run): readonly ToolCall[] {
  const answer = run.state().open?.answer;
  return answer && shownMessages(run).some(({ id }) => id === answer.message.id) ? answer.toolCalls : [];
}

function suspendedChunk(runId: string, pending: ShownPending[], expiresAt: string): Chunk {
  const [first] = pending;
  const { payload, resumeToken } = first ?? {};
  return chunk(runId, {
    type: 'suspended',
    payload: {
      ...(payload !== undefined && { payload }),
      ...(resumeToken !== undefined && { resumeToken }),
      expiresAt,
      pending,
    },
  });
}
