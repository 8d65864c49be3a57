// The output of one run: drives the reducer of its transcript with the publisher and the state of the run. Its callers
// name steps and places, and never ask whether a chunk is buffered or published.
import {
  MillraceError,
  type Agent,
  type Chunk,
  type ErrorCode,
  type RunAction,
  type RunRef,
  type RunState,
} from '@millrace/contracts';
import type { ChunkPublisher } from './chunk-publisher.ts';
import { makeChunk } from './make-chunk.ts';
import { createClientMark } from './mark-client-calls.ts';
import {
  countPlaces,
  getNextPlace,
  listBuffered,
  openTranscript,
  reduceTranscript,
  type TranscriptEvent,
} from './transcript.ts';

/** Maximum size of the buffer, in bytes of JSON. */
export const MAX_HELD_BYTES = 8 * 1024 * 1024;

/** Reason of a retract: a repeated step, or the code of a failed model call. */
type RetractReason = 'retry' | { code: ErrorCode };

export type RunTranscript = {
  /** Returns the place of the next chunk. */
  getNextPlace(): number;
  /** Returns the index of the next chunk that is published. */
  getNextIndex(): number;
  /** Returns whether a chunk from the place on is published. */
  isPublished(from: number): boolean;
  /** Returns the place of the first chunk of the open step, or of the run after its `start`. */
  locate(what: 'step' | 'run'): number;
  /** Returns the place of each chunk. @throws release-hold-full, message-too-large */
  append(chunks: readonly Chunk[]): number[];
  /** Withdraws the chunks from the place on: published ones are retracted. */
  withdraw(from: number, reason?: RetractReason): void;
  /** Discards the buffered chunks from the place on. Published ones stay. */
  discard(from: number): void;
  /** Puts the chunks in place of the buffered ones from the place on. @throws as `append` */
  replace(from: number, chunks: readonly Chunk[]): void;
  /** Returns the buffered chunks from the place on, in order. */
  listBuffered(from: number): Chunk[];
  /** Marks the open step as judged. Afterwards no caller may use a place behind its first one. */
  settleStep(): void;
  /** Publishes everything, because the run has ended well. */
  release(): void;
  /** Buffers everything, including transient chunks, until the returned function is called. */
  hold(): () => void;
  /** Returns the buffered chunks that are in no record yet. */
  takeUnrecorded(): RunAction[];
  /** Buffers the chunks that the lost owner had buffered. @param index first one of this owner */
  restore(index: number): void;
  /** Waits until all published chunks are acked by the log. @throws bus-unreachable, FencedError after `close` */
  flush(): Promise<void>;
};

/** The part of a run that its transcript reads. */
export type StatedRun = { ref: Pick<RunRef, 'tenant' | 'runId'>; agent: Agent; getState(): RunState };

type TranscriptParts = StatedRun & { publisher: ChunkPublisher; dispatch(action: RunAction): void };

export function createRunTranscript({ ref, agent, publisher, getState, dispatch }: TranscriptParts): RunTranscript {
  const { runId } = ref;
  const mark = createClientMark(getState().request.clientTools);
  let transcript = openTranscript(agent.release ?? 'chunk', publisher.getNextIndex());
  const perform = (event: TranscriptEvent): readonly RunAction[] => {
    const step = reduceTranscript(transcript, event);
    transcript = step.transcript;
    try {
      if (step.publish.length > 0) publisher.publish(mark(step.publish));
    } catch (error) {
      transcript = { ...transcript, next: publisher.getNextIndex() };
      throw error;
    }
    return step.actions;
  };
  const checkSize = () => {
    if (transcript.bytes > MAX_HELD_BYTES) throw createTooLargeError();
  };
  const locateStep = () => getState().open?.firstIndex ?? getNextPlace(transcript);
  return {
    getNextPlace: () => getNextPlace(transcript),
    getNextIndex: () => transcript.next,
    isPublished: (from) => from < transcript.next,
    locate: (what) => (what === 'run' ? getState().firstIndex : locateStep()),
    append(chunks) {
      const places = countPlaces(chunks, getNextPlace(transcript));
      perform({ type: 'appended', chunks });
      checkSize();
      return places;
    },
    withdraw: (from, reason) => void perform({ type: 'withdrawn', from, report: makeReport(runId, from, reason) }),
    discard: (from) => void perform({ type: 'withdrawn', from, report: [] }),
    replace(from, chunks) {
      perform({ type: 'replaced', from, chunks });
      checkSize();
    },
    listBuffered: (from) => listBuffered(transcript, from),
    settleStep: () => void perform({ type: 'settled', from: locateStep() }),
    release: () => void perform({ type: 'released' }),
    hold() {
      perform({ type: 'held' });
      let isActive = true;
      return () => {
        if (!isActive) return;
        isActive = false;
        perform({ type: 'hold-ended' });
      };
    },
    takeUnrecorded: () => [...perform({ type: 'recorded', from: getState().open?.firstIndex ?? 0 })],
    restore(index) {
      const { held, open, restated } = getState();
      // From the index on, the indices of the lost owner were places of buffered chunks.
      const moved = transcript.next - index;
      // The first chunk of this epoch is the retract of a restated answer.
      perform({ type: 'restored', chunks: restated ? held.filter(({ type }) => type !== 'retract') : held });
      if (open && open.firstIndex > index && moved > 0)
        dispatch({ action: 'step-moved', firstIndex: open.firstIndex + moved });
    },
    flush: () => publisher.flush(),
  };
}

function makeReport(runId: string, index: number, reason: RetractReason | undefined): Chunk[] {
  const finish = { stepResult: { reason: 'retry', isContinued: true }, output: {}, metadata: {} };
  const retract = { type: 'retract', payload: { index, ...(typeof reason === 'object' && reason) } };
  const bodies = reason === 'retry' ? [{ type: 'step-finish', payload: finish }, retract] : [retract];
  return bodies.map((body) => makeChunk(runId, body));
}

function createTooLargeError(): MillraceError {
  return new MillraceError('release-hold-full', `More than ${MAX_HELD_BYTES} bytes of chunks wait for their release.`, {
    remedy: 'Set an earlier `release` on the agent (step or chunk), or modelSettings.maxOutputTokens.',
  });
}
