// The output stream's processors of one step, as a chain of sessions on their replicas: every chunk that is pushed in passes all of them. If a
// session is lost, all are opened again elsewhere, with the states at the step's start, and receive the raw chunks again; their output is
// compared with the published one. Drives the reducer of the phases (chain-state); models, publishing and verdicts meet in step-stream.ts.
import {
  createFailure,
  isDataChunk,
  listAfterMemory,
  listJudges,
  toLoggedError,
  type Chunk,
  type StageInput,
} from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';
import { isGivenAway } from '../state/run-stop.ts';
import type { CallOutcome } from '../calls/ask-with-policy.ts';
import {
  accept,
  acceptAll,
  close,
  isOver,
  resolve,
  show,
  type Chain,
  type ChainEnd,
  type ChainOutput,
  type LastOutput,
  type LostSession,
  type Openings,
} from './chain-output.ts';
import { openChainState, reduceChain, type ChainEffect, type ChainEvent } from './chain-state.ts';
import { linkSessions, type SessionLink } from './linked-sessions.ts';
import { createMovingLimits } from './moving-limits.ts';
import { openSessions, type OpenSession } from './open-sessions.ts';
import { createRoom } from './wait-for-room.ts';
import { waitForBus } from '../calls/wait-for-bus.ts';
import { compareWith } from './repeated-output.ts';
import { judgeAtEnd, failNotOpened, collectReported } from './session-verdicts.ts';
import type { SessionEnd } from './session-client.ts';
import { createStepObservers } from './step-observers.ts';
import { createStepRecord } from './step-record.ts';
import { createStoredText } from './stored-text.ts';
import { createStreamTexts } from './stream-texts.ts';
import { acceptReported, mustNotFail, openVerdicts, restartVerdicts, addAbsent } from './step-verdicts.ts';
import { judge, type JudgedEntry } from '../calls/verdict-fold.ts';

export type { ChainEnd } from './chain-output.ts';

export type OutputChain = {
  push(chunks: readonly Chunk[]): void;
  /**
   * Pushes nothing more. Resolves when everything is out, or when a processor stopped the stream.
   * @param makeLast makes chunks that pass through the sessions behind all other output: they are not part of the output, nor of moving
   */
  end(makeLast?: () => readonly Chunk[]): Promise<ChainEnd>;
  /** Resolves at once, or when the windows have room again. */
  awaitRoom(): Promise<void>;
  /** Resolves when a processor stopped the stream, or a session was lost for good. */
  stopped: Promise<void>;
  /** Ends the stream as it is and discards further output. Resolves within `verdictsMs`, with the states and findings so far. */
  requestVerdicts(): Promise<ChainEnd>;
  /** Gives all sessions up and discards further output. */
  drop(): void;
};

/** Chunks that may wait before the model is read no further. */
const MAX_WAITING_CHUNKS = 1_024;
const stage = 'processOutputStream';

export async function openOutputChain(run: Run, input: StageInput, to: ChainOutput): Promise<OutputChain> {
  const isFull = () =>
    chain.state.phase === 'moving' ||
    (chain.state.phase === 'streaming' && (chain.linked?.countWaiting() ?? 0) > MAX_WAITING_CHUNKS);
  const chain: Chain = {
    run,
    input,
    to,
    record: createStepRecord(),
    limits: createMovingLimits(),
    observers: createStepObservers(run, input),
    room: createRoom(run.signal, isFull),
    over: Promise.withResolvers<void>(),
    ended: Promise.withResolvers<ChainEnd>(),
    state: openChainState(),
    verdicts: openVerdicts(input),
    entries: listJudges(run.plan, stage),
    reopened: [],
    dispatch: (event) => dispatch(chain, event),
    comparison: compareWith([]),
  };
  const openings = await openSessions(run, chain.entries, input);
  chain.dispatch({ type: 'begun' });
  link(chain, openings);
  const failed = openings.filter((one) => 'failure' in one);
  chain.entries = chain.entries.filter((entry) => !failed.some((one) => one.entry === entry));
  chain.verdicts = addAbsent(
    chain.verdicts,
    failed.map((one) => collectJudged(one, input)),
  );
  return {
    push(chunks) {
      if (isOver(chain)) return;
      // Without entries there is nothing to move.
      if (chain.entries.length > 0) chain.record.recordGiven(chunks);
      chain.linked?.push(chunks);
    },
    end(makeLast) {
      chain.makeLast = makeLast;
      // A step that cannot be moved must not lose its last chunks: they are made only if it can.
      chain.dispatch({ type: 'end', hasLast: makeLast !== undefined && chain.record.getGiven() !== undefined });
      return chain.ended.promise;
    },
    awaitRoom: chain.room.wait,
    stopped: chain.over.promise,
    requestVerdicts() {
      chain.dispatch({ type: 'stopped' });
      return chain.ended.promise;
    },
    drop() {
      chain.state = { ...chain.state, phase: 'ended' };
      close(chain);
    },
  };
}

function dispatch(chain: Chain, event: ChainEvent<LostSession>): void {
  const { state, effects } = reduceChain(chain.state, event);
  chain.state = state;
  for (const effect of effects) perform(chain, effect);
}

function perform(chain: Chain, effect: ChainEffect<LostSession>): void {
  const { linked } = chain;
  switch (effect.type) {
    case 'move':
      return move(chain, effect.lost);
    case 'settle':
      return settle(chain, effect.lost, effect.mustFail);
    case 'begin-again':
      linked?.drop();
      return link(chain, takeReopened(chain));
    case 'give-up-openings':
      dropAll(takeReopened(chain));
      return chain.room.check();
    case 'drain':
      return linked?.drain(() => chain.dispatch({ type: 'drained' }));
    case 'send-last':
      return sendLast(chain);
    case 'end-sessions':
      return isOver(chain) ? undefined : linked?.end();
    case 'finish':
      close(chain);
      return resolve(chain);
    case 'stop':
      return stopAll(chain);
  }
}

/** Links sessions and gives them everything that the step was given so far. */
function link(chain: Chain, openings: Openings): void {
  const given = chain.record.getGiven();
  chain.verdicts = restartVerdicts(chain.verdicts);
  chain.last = undefined;
  chain.comparison = compareWith(given ? [...chain.to.listPassed()] : []);
  const links = openings.flatMap((opening) => ('answer' in opening ? [{ ...opening, ...opening.answer }] : []));
  const entries = links.map((one) => one.entries);
  const observe = chain.observers.watch(entries);
  const texts = chain.run.changes && createStreamTexts(entries);
  if (texts) chain.texts = texts;
  const stored = createStoredText(entries, listAfterMemory(chain.run.plan));
  chain.stored = stored;
  const linked = linkSessions(links, {
    onSeen(at, chunks) {
      observe(at, chunks);
      texts?.observe(at, chunks);
      stored?.observe(at, chunks);
    },
    output: (chunks) =>
      chain.last ? takeLast(chain, chain.last, chunks) : show(chain, chain.comparison.compare(chunks)),
    onEnded: (one, end) => handleSessionEnd(chain, one, end),
    onFinished() {
      show(chain, chain.comparison.end());
      chain.dispatch({ type: 'finished' });
    },
    onAdvanced: chain.room.check,
  });
  chain.linked = linked;
  for (const opening of openings) if ('failure' in opening) accept(chain, collectJudged(opening, chain.input));
  // If the run was stopped before all entries were asked, a chain with a gap lets nothing pass.
  const asked = new Set(openings.flatMap((one) => ('answer' in one ? one.entries : [one.entry])));
  const unasked = chain.entries.find((entry) => !asked.has(entry));
  if (unasked) accept(chain, failNotOpened(unasked, chain.input));
  if (isOver(chain)) return;
  linked.start();
  linked.push(given ?? []);
  chain.room.check();
}

function handleSessionEnd(chain: Chain, one: SessionLink, end: SessionEnd): void {
  if (isOver(chain)) return;
  const judged = judgeAtEnd(one, end, chain.input, chain.limits.countMoves());
  const broken = judged.find(({ verdict }) => verdict.type !== 'continue');
  if (broken?.verdict.type !== 'failure') {
    acceptAll(chain, judged);
    chain.linked?.pass(one);
    return;
  }
  const lost = { link: one, broken, judged };
  // Each loss counts once: a loss while the sessions are moved is part of that move.
  const mayMove = chain.state.phase === 'streaming' && isMovable(chain, lost, 'verdicts' in end);
  chain.dispatch({ type: 'lost', lost, mayMove });
}

/** @param isReported the replica has ended the session itself, in order */
function isMovable({ run, record, limits }: Chain, { link: one, broken }: LostSession, isReported: boolean): boolean {
  const { entry, verdict } = broken;
  if (verdict.type !== 'failure' || run.signal.aborted || record.getGiven() === undefined) return false;
  return limits.canMove({ entry, failure: verdict, place: one.connection.client.countProcessed(), isReported });
}

/** Opens all sessions again. If the lost entry may be skipped and is not found again, the stream continues with the old sessions. */
function move(chain: Chain, { link: one, broken, judged }: LostSession): void {
  const { run, input } = chain;
  const { entry, verdict } = broken;
  const { replica } = one.opened;
  const code = verdict.type === 'failure' ? verdict.code : undefined;
  const { runId } = run.ref;
  run.deps.log.warn({ runId, entry: entry.entry, replica, code }, 'session lost, opening the sessions again');
  const maySkip = entry.onFailure === 'skip';
  if (!maySkip) chain.linked?.drop();
  const reopenSessions = async () => {
    await waitForBus(run.deps.access.bus, run.signal);
    const openings = await openSessions(run, [...chain.entries], input, replica);
    if (isOver(chain)) return dropAll(openings);
    chain.reopened = openings;
    const canSkip = maySkip && openings.some((opening) => 'failure' in opening && opening.entry === entry);
    chain.dispatch({ type: 'reopened', isWhole: chain.record.getGiven() !== undefined, canSkip });
  };
  void reopenSessions().catch((error: unknown) => {
    run.deps.log.error({ runId, ...toLoggedError(error) }, 'sessions could not be opened again');
    acceptAll(chain, judged.map(mustNotFail));
  });
}

/**
 * Behind the last chunks only those and custom chunks may arrive. Anything else was counted as processed before it was sent: the answer was
 * built without it, so the step fails.
 */
function takeLast(chain: Chain, { types, out }: LastOutput, chunks: readonly Chunk[]): void {
  const late = chunks.find((one) => !types.has(one.type) && !isDataChunk(one));
  const entry = chain.entries.at(-1);
  if (!late || !entry) return void out.push(...chunks);
  const message = `A "${late.type}" chunk arrived after the processors had reported all chunks as processed.`;
  accept(chain, mustNotFail(judge(stage, chain.input, entry, createFailure('processor-failed', message))));
}

/** A loss that cannot be tried again falls under the policy of the entry. */
function settle(chain: Chain, { link: one, judged }: LostSession, mustFail: boolean): void {
  acceptAll(chain, mustFail ? judged.map(mustNotFail) : judged);
  if (!isOver(chain)) chain.linked?.takeOut(one);
}

/** The last chunks are built from the whole output. */
function sendLast(chain: Chain): void {
  show(chain, chain.comparison.end());
  if (isOver(chain)) return;
  const chunks = chain.makeLast?.() ?? [];
  if (chunks.length > 0) chain.last = { types: new Set(chunks.map(({ type }) => type)), out: [] };
  chain.linked?.push(chunks);
}

/** Asks the open sessions for their states, unless another orchestrator continues the run and judges the step again. */
function stopAll(chain: Chain): void {
  const { run, linked, input, limits } = chain;
  const stoppedLinks = isGivenAway(run.signal) ? [] : (linked?.requestVerdicts() ?? []);
  if (stoppedLinks.length === 0) linked?.drop();
  chain.room.close();
  chain.observers.end();
  chain.over.resolve();
  void collectReported(stoppedLinks, input, limits.countMoves()).then((lateVerdicts) => {
    chain.verdicts = acceptReported(chain.verdicts, lateVerdicts);
    resolve(chain);
  });
}

function takeReopened(chain: Chain): Openings {
  const openings = chain.reopened;
  chain.reopened = [];
  return openings;
}

function dropAll(openings: Openings): void {
  for (const opening of openings) if ('answer' in opening) opening.answer.connection.client.drop();
}

function collectJudged(
  { entry, failure, ...rest }: Extract<CallOutcome<OpenSession>, { failure: unknown }>,
  input: StageInput,
): JudgedEntry {
  return { ...judge(stage, input, entry, failure), ...rest };
}
