// Output buffer between the output chain and the publisher. Chunks are buffered in order until the agent's `release`
// policy releases them, or until a hold ends. A buffered chunk is on no subject, in no log, and has no index; its place
// is the index that it will get. A chunk that is retracted while it is buffered is dropped without a trace. Transient
// custom chunks are not buffered.
import { MillraceError, type Chunk, type Release, type RunAction } from '@millrace/contracts';
import { isTransient, type ChunkPublisher } from './chunk-publisher.ts';
import { createHeldQueue } from './chunk-buffer.ts';
import type { BufferedChunk } from './buffered-chunks.ts';
import { createHeldRecord } from './buffer-record.ts';
import { createPlaces } from './chunk-places.ts';
import { withPiece, textPiece } from './text-pieces.ts';

/** Maximum size of the buffer, in bytes of JSON. */
export const MAX_HELD_BYTES = 8 * 1024 * 1024;

export type ReleaseGate = {
  /** Returns the place of the next chunk: its index if the buffer is empty. */
  getNextIndex(): number;
  /** Returns the index of the next chunk that is released. */
  shownIndex(): number;
  /** Returns the index of the released chunk at the place, or else of the next chunk that is released. */
  toIndex(place: number): number;
  /** @throws release-hold-full, message-too-large */
  publish(chunks: readonly Chunk[]): void;
  /**
   * Retracts the chunks from the place on. If some of them are published, `retract` makes the chunks that report it.
   */
  takeBack(from: number, retract: (index: number) => Chunk[]): void;
  /** Discards the buffered chunks from the place on. */
  drop(from: number): void;
  /** Returns the buffered chunks from the place on, in order. */
  waiting(from: number): Chunk[];
  /** Returns the released part of a chunk. */
  findShown(place: number, chunk: Chunk): Chunk | undefined;
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
  const queue = createHeldQueue(release === 'sentence');
  const record = createHeldRecord();
  const places = createPlaces();
  /** Chunks before this place were judged with their step. */
  let settledTo = 0;
  let isOpen = release === 'chunk';

  const listCounted = (): readonly BufferedChunk[] => queue.list().filter(isCounted);
  const getNextIndex = () => {
    const last = queue.list().findLast(isCounted);
    return last ? last.place + 1 : places.toPlace(publisher.getNextIndex());
  };
  const isReleasable = (place: number) => isOpen || (release !== 'result' && place < settledTo);
  const publishTaken = (taken: readonly BufferedChunk[]) => {
    if (taken.length === 0) return;
    for (const { isRest, place } of taken) if (isRest) places.split(place);
    publisher.publish(taken.map(({ chunk }) => chunk));
    record.noteChange(0);
  };
  const flushReleasable = () => {
    if (!holds.areActive()) publishTaken(queue.take(isReleasable));
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
  return {
    getNextIndex,
    shownIndex: () => publisher.getNextIndex(),
    toIndex: (place) => Math.min(places.toIndex(place), publisher.getNextIndex()),
    publish(chunks) {
      if (isOpen && !holds.areActive()) return publisher.publish(chunks);
      for (const chunk of chunks) {
        const transient = isTransient(chunk);
        if (transient && !holds.areActive()) {
          flushReleasable();
          publisher.publish([chunk]);
        } else queue.add(chunk, getNextIndex(), transient);
      }
      flushReleasable();
      if (queue.bytes() > MAX_HELD_BYTES) throw holdFull();
    },
    takeBack(from, retract) {
      if (from >= getNextIndex()) return;
      const isHeld = isWhollyHeld(queue.list().at(0), from);
      drop(from);
      if (isHeld || places.toIndex(from) >= publisher.getNextIndex()) return;
      publisher.publish(retract(places.toIndex(from)));
      places.renumber(from, publisher.getNextIndex());
    },
    drop,
    waiting: (from) => listCounted().flatMap(({ chunk, place }) => (place >= from ? [chunk] : [])),
    findShown: (place, chunk) => cutToReleased(queue.list().find(isCounted), place, chunk),
    settle(from) {
      if (isOpen) return;
      if (release !== 'sentence') record.noteChange(queue.merge(from));
      settledTo = getNextIndex();
      flushReleasable();
      if (queue.list().length === 0) places.renumber(0, publisher.getNextIndex());
    },
    release() {
      isOpen = true;
      flushReleasable();
    },
    hold: holds.add,
    takeUnrecorded(from) {
      if (release === 'step' || release === 'result') record.noteChange(queue.merge(from));
      return record.takeUnrecorded(listCounted());
    },
    restore(held) {
      for (const chunk of held) queue.add(chunk, getNextIndex());
      record.noteRestored(held.length);
    },
    flush: () => publisher.flush(),
  };
}

/** Returns whether nothing from the place on is released. @param first the first chunk of the buffer */
const isWhollyHeld = (first: BufferedChunk | undefined, from: number): boolean =>
  first !== undefined && (first.place < from || (first.place === from && first.isRest !== true));

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

/** Returns the released part of the chunk at the place. @param first the first chunk of the buffer */
function cutToReleased(first: BufferedChunk | undefined, place: number, chunk: Chunk): Chunk | undefined {
  if (!first || place < first.place) return chunk;
  const rest = first.isRest === true && place === first.place ? textPiece(first.chunk) : undefined;
  const piece = textPiece(chunk);
  return rest && piece ? withPiece(chunk, piece.text.slice(0, piece.text.length - rest.text.length)) : undefined;
}

function holdFull(): MillraceError {
  return new MillraceError('release-hold-full', `More than ${MAX_HELD_BYTES} bytes of chunks wait for their release.`, {
    remedy: 'Set an earlier `release` on the agent (step, sentence or chunk), or modelSettings.maxOutputTokens.',
  });
}
