// The output stream's processors of one step, as a chain of sessions on their replicas: what is pushed in comes out guarded. A session
// that is lost costs the step nothing: all are opened again elsewhere, with the states at the step's start, and given the raw chunks
// again; what comes out again is compared with what was published. Knows nothing of models, publishing or what a verdict means for the
// run; those meet in step-stream.ts.
import { judgesOf, loggedError, type Chunk, type StageInput } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';
import { isGivenAway } from '../state/run-stop.ts';
import type { Outcome } from './ask-with-policy.ts';
import { linkSessions, type Link, type LinkedSessions } from './linked-sessions.ts';
import { createMovingLimits } from './moving-limits.ts';
import { openSessions, type Session } from './open-sessions.ts';
import { createRoom } from './room.ts';
import { reconnected } from './reconnected.ts';
import { compareWith, type Comparison, type Fresh } from './repeated-output.ts';
import { judgedAtEnd, notOpened, toldOf } from './session-verdicts.ts';
import type { SessionEnd } from './session-client.ts';
import { createStepObservers } from './step-observers.ts';
import { createStepRecord } from './step-record.ts';
import { emptyFold, foldTold, foldVerdict, judge, type Judged, type StageFold } from './verdict-fold.ts';

export type OutputChain = {
  push(chunks: readonly Chunk[]): void;
  /**
   * Nothing more comes. Resolves when everything is out, or when a processor stopped the stream.
   * @param last makes what still goes through when all else is out: it is not among the output, and has no part in moving
   */
  end(last?: () => readonly Chunk[]): Promise<ChainEnd>;
  /** Resolves at once, or when the windows have room again. */
  room(): Promise<void>;
  /** Resolves when a processor stopped the stream, or a session was lost for good. */
  stopped: Promise<void>;
  /** Ends it where it stands; nothing more comes out. Resolves within `tellMs`, with what the processors keep and have found so far. */
  tell(): Promise<ChainEnd>;
  /** Gives all sessions up; nothing more comes out. */
  drop(): void;
};

/** `last`: what has come out of the last chunks; absent where there were none, or where a loss has undone them. */
export type ChainEnd = StageFold & { last?: readonly Chunk[] };

export type ChainOutput = {
  output(chunks: readonly Chunk[]): void;
  /** Of all that came out, only the first `count` chunks still count. */
  retract(count: number): void;
};

/** Chunks that may wait before the model is read no further. */
const MAX_WAITING_CHUNKS = 1_024;
const stage = 'processOutputStream';

export async function openOutputChain(run: Run, input: StageInput, to: ChainOutput): Promise<OutputChain> {
  const record = createStepRecord();
  const limits = createMovingLimits();
  const over = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<ChainEnd>();
  let entries = judgesOf(run.plan, stage);
  const observers = createStepObservers(run, input);
  let linked: LinkedSessions | undefined;
  let comparison: Comparison = compareWith([]);
  /** Of those who were not there at the start: they have no part in what is published, and are not waited for again. */
  let absent = emptyFold(input);
  let fold = absent;
  /** Entries that are skipped now, though what is published may bear their mark. */
  let skipped: Judged[] = [];
  let isEnding = false;
  let makeLast: (() => readonly Chunk[]) | undefined;
  let last: Chunk[] | undefined;
  let isOver = false;
  let isMoving = false;
  let hasLostMore = false;
  /** It was let go, and is still there. */
  let left: Link | undefined;
  // Nobody waits for room in a stream that is moved until it is, nor in one that is over.
  const room = createRoom(run.signal, () => !isOver && (isMoving || (linked?.waiting() ?? 0) > MAX_WAITING_CHUNKS));
  const close = () => {
    isOver = true;
    linked?.drop();
    room.close();
  };
  const resolve = () => ended.resolve(last ? { ...fold, last } : fold);
  const finish = () => {
    close();
    observers.end();
    resolve();
  };
  /** Of a run that goes on elsewhere nothing counts: it is judged again there. */
  const endNow = () => {
    if (isOver) return;
    isOver = true;
    const telling = isGivenAway(run.signal) ? [] : (linked?.tell() ?? []);
    if (telling.length === 0) linked?.drop();
    room.close();
    observers.end();
    over.resolve();
    void toldOf(telling, input, limits.moves()).then((told) => {
      fold = told.reduce(foldTold, fold);
      resolve();
    });
  };
  const emit = ({ chunks, kept }: Fresh) => {
    if (kept !== undefined) {
      record.keep(kept);
      to.retract(kept);
    }
    if (chunks.length === 0) return;
    if (entries.length > 0) record.passed(chunks);
    to.output(chunks);
  };
  /** What a processor changed stays changed: its being skipped must not show what it took out. */
  const undoes = ({ kept }: Fresh): boolean => {
    const [first] = kept === undefined ? [] : skipped;
    if (first) accept(mustNotFail(first));
    return first !== undefined;
  };
  const show = (fresh: Fresh) => void (isOver || undoes(fresh) || emit(fresh));
  const accept = (judged: Judged) => {
    if (isOver) return;
    fold = foldVerdict(fold, judged);
    if (fold.stopped) stop(judged);
    else if (judged.verdict.type === 'failure') skipped.push(judged);
  };
  const stop = ({ verdict }: Judged) => {
    // What was judged now counts: of what was published before, only what has come again.
    const fresh = verdict.type === 'failure' ? { chunks: [] } : comparison.end();
    emit(skipped.length === 0 ? fresh : { ...fresh, chunks: [] });
    endNow();
  };
  /** Behind the one of them that stopped, it counts what the others keep and have found. */
  const acceptAll = (judged: readonly Judged[]) => {
    if (isOver) return;
    for (const one of judged) {
      if (isOver) fold = foldTold(fold, one);
      else accept(one);
    }
  };

  const endedBy = (link: Link, end: SessionEnd) => {
    if (isOver) return;
    const judged = judgedAtEnd(link, end, input, limits.moves());
    const stopped = judged.find(({ verdict }) => verdict.type !== 'continue');
    if (stopped?.verdict.type !== 'failure') {
      acceptAll(judged);
      linked?.pass(link);
    } else if (isMoving) hasLostMore = true;
    else if (mayMove(link, stopped)) {
      void move(link, stopped, judged).catch((error: unknown) => {
        run.deps.log.error({ runId: run.ref.runId, ...loggedError(error) }, 'sessions could not be opened again');
        acceptAll(judged.map(mustNotFail));
      });
    } else settle(link, judged);
  };
  /** What cannot be tried again falls under the policy of the entry. */
  const settle = (link: Link, judged: Judged[]) => {
    acceptAll(judged);
    if (!isOver) linked?.takeOut(link);
  };
  const mayMove = (link: Link, { entry, verdict }: Judged): boolean =>
    verdict.type === 'failure' &&
    !run.signal.aborted &&
    record.all() !== undefined &&
    (left === link || limits.allow({ entry, failure: verdict, place: link.connection.client.processed() }));

  const move = async (link: Link, { entry, verdict }: Judged, judged: Judged[]) => {
    isMoving = true;
    hasLostMore = false;
    const { replica } = link.opened;
    const code = verdict.type === 'failure' ? verdict.code : undefined;
    const { runId } = run.ref;
    run.deps.log.warn({ runId, entry: entry.entry, replica, code }, 'a session was lost and is opened again');
    // The others wait for one that may be skipped: where it is not found again, the stream goes on from where it broke.
    const maySkip = entry.onFailure === 'skip';
    if (!maySkip) linked?.drop();
    await reconnected(run.deps.access.bus, run.signal);
    const openings = await openSessions(run, entries, input, replica);
    isMoving = false;
    if (isOver) return dropAll(openings);
    const failed = openings.find((one) => 'failure' in one && one.entry === entry);
    const isWhole = record.all() !== undefined;
    if (isWhole && !(maySkip && failed && !hasLostMore)) {
      linked?.drop();
      return begin(openings);
    }
    dropAll(openings);
    // What has gone on as far as it could is left to the policy, unless more of it broke meanwhile.
    settle(link, hasLostMore ? judged.map(mustNotFail) : judged);
    if (isEnding && !isOver) endAll();
    room.check();
  };
  const begin = (openings: Outcome<Session>[]) => {
    const { given, passed } = record.all() ?? { given: [], passed: [] };
    fold = absent;
    skipped = [];
    last = undefined;
    comparison = compareWith(passed);
    const links = openings.flatMap((opening) => ('answer' in opening ? [{ ...opening, ...opening.answer }] : []));
    linked = linkSessions(links, {
      seen: observers.watch(links.map((link) => link.entries)),
      output: (chunks) => void (last ? last.push(...chunks) : show(comparison.see(chunks))),
      ended: endedBy,
      closing: (link) => void leave(link),
      finished() {
        show(comparison.end());
        if (!isOver) finish();
      },
      advanced: room.check,
    });
    for (const opening of openings) if ('failure' in opening) accept(judgedOf(opening, input));
    // The run was stopped before all were asked: a chain with a gap lets nothing pass.
    const asked = new Set(openings.flatMap((one) => ('answer' in one ? one.entries : [one.entry])));
    const unasked = entries.find((entry) => !asked.has(entry));
    if (unasked) accept(notOpened(unasked, input));
    if (isOver) return;
    linked.start();
    linked.push(given);
    if (isEnding) endAll();
    room.check();
  };
  /** The last chunks are made of what was let through: they wait for all of it. A step that cannot be moved is not to lose them. */
  const endAll = () => {
    if (makeLast && record.all()) linked?.drain(endWithLast);
    else linked?.end();
  };
  const endWithLast = () => {
    show(comparison.end());
    if (isOver) return;
    const chunks = makeLast?.() ?? [];
    // Once: where they are lost with their sessions, the step ends without them.
    makeLast = undefined;
    if (chunks.length > 0) last = [];
    linked?.push(chunks);
    linked?.end();
  };
  /** A replica that is stopping still serves its sessions for a while: they are moved where another one is there. */
  const leave = async (link: Link) => {
    const { replica } = link.opened;
    const [first] = link.entries;
    if (!first || !record.all()) return;
    const other = await run.deps.discovery.replicaThatAnswers(first.processor, run.signal, replica);
    // Where it cannot be moved, it is served on as long as the replica does.
    if (other === undefined || other === replica || isMoving || isOver || !record.all() || !limits.allowLeaving())
      return;
    left = link;
    link.connection.client.lose('The replica is stopping.');
  };

  const openings = await openSessions(run, entries, input);
  begin(openings);
  const failed = openings.filter((one) => 'failure' in one);
  entries = entries.filter((entry) => !failed.some((one) => one.entry === entry));
  absent = failed.map((one) => judgedOf(one, input)).reduce(foldVerdict, absent);
  skipped = [];
  return {
    push(chunks) {
      if (isOver) return;
      // Where nobody is to be asked there is nothing to move.
      if (entries.length > 0) record.given(chunks);
      linked?.push(chunks);
    },
    end(makes) {
      isEnding = true;
      makeLast = makes;
      if (!isMoving && !isOver) endAll();
      return ended.promise;
    },
    room: room.wait,
    stopped: over.promise,
    tell() {
      endNow();
      return ended.promise;
    },
    drop() {
      close();
      observers.end();
    },
  };
}

const mustNotFail = (judged: Judged): Judged => ({ ...judged, entry: { ...judged.entry, onFailure: 'fail' } });

function dropAll(openings: readonly Outcome<Session>[]): void {
  for (const opening of openings) if ('answer' in opening) opening.answer.connection.client.drop();
}

function judgedOf(
  { entry, failure, ...rest }: Extract<Outcome<Session>, { failure: unknown }>,
  input: StageInput,
): Judged {
  return { ...judge(stage, input, entry, failure), ...rest };
}
