// Output buffer between the output chain and the publisher. Chunks are buffered in order until the agent's `release`
// policy releases them, or until a hold ends. A buffered chunk is on no subject, in no log, and has no index; its place
// is the index that it will get. A chunk that is retracted while it is buffered is dropped without a trace. Transient
// custom chunks are not buffered.
import { MillraceError, type Chunk, type Release, type RunAction } from '@millrace/contracts';
import { isTransient, type ChunkPublisher } from './chunk-publisher.ts';
import { createHeldQueue } from './chunk-buffer.ts';
import type { BufferedChunk } from './buffered-chunks.ts';
import { createHeldRecord } from './buffer-record.ts';

/** Maximum size of the buffer, in bytes of JSON. */
export const MAX_HELD_BYTES = 8 * 1024 * 1024;

export type ReleaseGate = {
  /** Returns the place of the next chunk: its index if the buffer is empty. */
  getNextIndex(): number;
  /** Returns the index of the next chunk that is released. */
  readShownIndex(): number;
  /** Returns the place of each chunk. @throws release-hold-full, message-too-large */
  publish(chunks: readonly Chunk[]): number[];
  /**
   * Retracts the chunks from the place on. If some of them are published, `retract` makes the chunks that report it.
   */
  takeBack(from: number, retract: (index: number) => Chunk[]): void;
  /** Discards the buffered chunks from the place on. */
  drop(from: number): void;
  /** Returns the buffered chunks from the place on, in order. */
  listWaiting(from: number): Chunk[];
  /**
   * Marks everything so far as judged, as far as a step is. Afterwards no caller may use a place after `from`, the
   * first one of the step.
   */
  settle(from: number): void;
  /** Releases everything, because the run has ended well. */
  release(): void;
  /** Buffers everything, including transient chunks, until the returned function is called. */
  hold(): () => void;
  /** Returns the buffered chunks that are in no record yet. @param from as for `settle` */
  takeUnrecorded(from: number): RunAction[];
  /** Buffers the chunks that the lost owner had buffered. */
  restore(held: readonly Chunk[]): void;
  /**
   * Waits until all releasable chunks are published and acked by the log. @throws bus-unreachable, FencedError after
   * `close`
   */
  flush(): Promise<void>;
};

export function createReleaseGate(publisher: ChunkPublisher, release: Release = 'chunk'): ReleaseGate {
  const queue = createHeldQueue();
  const record = createHeldRecord();
  /** Chunks before this place were judged with their step. */
  let settledTo = 0;
  let isOpen = release === 'chunk';

  const listCounted = () => queue.list().filter(isCounted);
  const getNextIndex = () => findEnd(queue.list()) ?? publisher.getNextIndex();
  const publishTaken = (taken: readonly BufferedChunk[]) => {
    if (taken.length === 0) return;
    publisher.publish(taken.map(({ chunk }) => chunk));
    record.noteChange(0);
  };
  const flushReleasable = () => {
    if (!holds.areActive()) publishTaken(queue.take((place) => isOpen || (release !== 'result' && place < settledTo)));
  };
  const holds = createHolds(() => {
    flushReleasable();
    publishTaken(queue.takeTransient());
  });
  const drop = (from: number) => {
    queue.drop(from);
    record.noteChange(listCounted().length);
    settledTo = Math.min(settledTo, from);
  };
  const publish = (chunks: readonly Chunk[]): number[] => {
    if (isOpen && !holds.areActive() && queue.list().length === 0) {
      const indices = countPlaces(chunks, publisher.getNextIndex());
      publisher.publish(chunks);
      return indices;
    }
    const places = chunks.map((chunk) => {
      const place = getNextIndex();
      if (holds.areActive() || !isTransient(chunk)) queue.add(chunk, place);
      else {
        flushReleasable();
        publisher.publish([chunk]);
      }
      return place;
    });
    flushReleasable();
    if (queue.countBytes() > MAX_HELD_BYTES) throw holdFull();
    return places;
  };
  return {
    getNextIndex,
    readShownIndex: () => publisher.getNextIndex(),
    publish,
    takeBack(from, retract) {
      if (from >= getNextIndex()) return;
      drop(from);
      if (from < publisher.getNextIndex()) publisher.publish(retract(from));
    },
    drop,
    listWaiting: (from) => listCounted().flatMap(({ chunk, place }) => (place >= from ? [chunk] : [])),
    settle(from) {
      if (isOpen) return;
      record.noteChange(queue.merge(from));
      settledTo = getNextIndex();
      flushReleasable();
    },
    release() {
      isOpen = true;
      flushReleasable();
    },
    hold: holds.add,
    takeUnrecorded(from) {
      if (release !== 'chunk') record.noteChange(queue.merge(from));
      return record.takeUnrecorded(listCounted());
    },
    restore(held) {
      for (const chunk of held) queue.add(chunk, getNextIndex());
      record.noteRestored(held.length);
    },
    flush: () => publisher.flush(),
  };
}

/** Returns the index of each chunk, or of the next one after a transient chunk. */
function countPlaces(chunks: readonly Chunk[], first: number): number[] {
  let next = first;
  return chunks.map((chunk) => (isTransient(chunk) ? next : next++));
}

/** Returns the place after the last counted chunk. */
function findEnd(held: readonly BufferedChunk[]): number | undefined {
  const last = held.findLast(isCounted);
  return last && last.place + 1;
}

const isCounted = ({ isTransient }: BufferedChunk): boolean => !isTransient;

/** Counts holders. @param onEnded called when the last holder ends */
function createHolds(onEnded: () => void) {
  let count = 0;
  return {
    areActive: () => count > 0,
    /** Returns the function that ends the hold. */
    add(): () => void {
      count += 1;
      let isActive = true;
      return () => {
        if (!isActive) return;
        isActive = false;
        count -= 1;
        if (count === 0) onEnded();
      };
    },
  };
}

function holdFull(): MillraceError {
  return new MillraceError('release-hold-full', `More than ${MAX_HELD_BYTES} bytes of chunks wait for their release.`, {
    remedy: 'Set an earlier `release` on the agent (step or chunk), or modelSettings.maxOutputTokens.',
  });
}
