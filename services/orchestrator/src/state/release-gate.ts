// Between what the output chain let through and what is published: chunks wait here, in order, for as long as the agent's `release` says,
// or until somebody who holds everything lets go. What waits is on no subject, in no log, and has no index; it has a place, the index that
// it will have. What is taken back while it waits was never there. Custom chunks that nobody counts (transient ones) do not wait.
import { MillraceError, type Chunk, type Release, type RunAction } from '@millrace/contracts';
import { isTransient, type ChunkPublisher } from './chunk-publisher.ts';
import { createHeldQueue } from './held-queue.ts';
import type { Held } from './held-chunks.ts';
import { createHeldRecord } from './held-record.ts';
import { createPlaces } from './places.ts';
import { withPiece, textPiece } from './text-pieces.ts';

/** More than this is not held, bytes of JSON. */
export const MAX_HELD_BYTES = 8 * 1024 * 1024;

export type ReleaseGate = {
  /** Place of the next chunk: its index, where nothing is held. */
  nextIndex(): number;
  /** Index of the next chunk that comes out. */
  shownIndex(): number;
  /** Index of what has the place and is out, else of the next chunk that comes out. */
  indexOf(place: number): number;
  /** @throws release-hold-full, message-too-large */
  publish(chunks: readonly Chunk[]): void;
  /** Nothing from the place on counts any more. `retract` makes the chunks that say so, where something of it is out. */
  takeBack(from: number, retract: (index: number) => Chunk[]): void;
  /** What waits from the place on never comes out. */
  drop(from: number): void;
  /** What waits from the place on, in order. */
  waiting(from: number): Chunk[];
  /** What has come out of a chunk. */
  shown(place: number, chunk: Chunk): Chunk | undefined;
  /** What was said so far was judged, as far as a step is: from here on nobody names a place after `from`, the step's first. */
  settle(from: number): void;
  /** The run has ended well: everything comes out. */
  release(): void;
  /** Everything waits, transient chunks too, until the function that it gives is called. */
  hold(): () => void;
  /** What waits and is in no record yet. @param from as for `settle` */
  unrecorded(from: number): RunAction[];
  /** What waited when the owner before this one was lost. */
  restore(held: readonly Chunk[]): void;
  /** Everything that may be out is, and acknowledged by the log. @throws bus-unreachable, FencedError after `close` */
  flush(): Promise<void>;
};

export function createReleaseGate(publisher: ChunkPublisher, release: Release = 'chunk'): ReleaseGate {
  const queue = createHeldQueue(release === 'sentence');
  const record = createHeldRecord();
  const places = createPlaces();
  /** Those before it were judged with their step. */
  let settledTo = 0;
  let isOpen = release === 'chunk';
  let holders = 0;

  const counted = (): readonly Held[] => queue.held().filter((one) => !one.isTransient);
  const nextIndex = () => {
    const last = queue.held().findLast((one) => !one.isTransient);
    return last ? last.place + 1 : places.placeOf(publisher.nextIndex());
  };
  const mayGo = (place: number) => isOpen || (release !== 'result' && place < settledTo);
  const out = (taken: readonly Held[]) => {
    if (taken.length === 0) return;
    for (const { isRest, place } of taken) if (isRest) places.split(place);
    publisher.publish(taken.map(({ chunk }) => chunk));
    record.changed(0);
  };
  const letOut = () => {
    if (holders > 0) return;
    out(queue.take(mayGo));
  };
  const drop = (from: number) => {
    queue.drop(from);
    record.changed(counted().length);
    settledTo = Math.min(settledTo, from);
  };
  const allOut = () => {
    if (queue.held().length === 0) places.renumber(0, publisher.nextIndex());
  };
  return {
    nextIndex,
    shownIndex: () => publisher.nextIndex(),
    indexOf: (place) => Math.min(places.indexOf(place), publisher.nextIndex()),
    publish(chunks) {
      if (isOpen && holders === 0) return publisher.publish(chunks);
      for (const chunk of chunks) {
        const transient = isTransient(chunk);
        if (!transient || holders > 0) {
          queue.add(chunk, nextIndex(), transient);
          continue;
        }
        letOut();
        publisher.publish([chunk]);
      }
      letOut();
      if (queue.bytes() > MAX_HELD_BYTES) throw holdFull();
    },
    takeBack(from, retract) {
      if (from >= nextIndex()) return;
      const first = queue.held().at(0);
      const isHeld = first !== undefined && (first.place < from || (first.place === from && first.isRest !== true));
      drop(from);
      if (isHeld || places.indexOf(from) >= publisher.nextIndex()) return;
      const index = places.indexOf(from);
      publisher.publish(retract(index));
      places.renumber(from, publisher.nextIndex());
    },
    drop,
    waiting: (from) => counted().flatMap(({ chunk, place }) => (place >= from ? [chunk] : [])),
    shown(place, chunk) {
      const first = queue.held().find((one) => !one.isTransient);
      if (!first || place < first.place) return chunk;
      const rest = first.isRest === true && place === first.place ? textPiece(first.chunk) : undefined;
      const piece = textPiece(chunk);
      return rest && piece ? withPiece(chunk, piece.text.slice(0, piece.text.length - rest.text.length)) : undefined;
    },
    settle(from) {
      if (isOpen) return;
      if (release !== 'sentence') record.changed(queue.merge(from));
      settledTo = nextIndex();
      letOut();
      allOut();
    },
    release() {
      isOpen = true;
      letOut();
    },
    hold() {
      holders += 1;
      let isHolding = true;
      return () => {
        if (!isHolding) return;
        isHolding = false;
        holders -= 1;
        if (holders > 0) return;
        letOut();
        out(queue.takeTransient());
      };
    },
    unrecorded(from) {
      if (release === 'step' || release === 'result') record.changed(queue.merge(from));
      return record.unrecorded(counted());
    },
    restore(held) {
      for (const chunk of held) queue.add(chunk, nextIndex());
      record.restored(held.length);
    },
    flush: () => publisher.flush(),
  };
}

function holdFull(): MillraceError {
  return new MillraceError('release-hold-full', `More than ${MAX_HELD_BYTES} bytes of chunks wait for their release.`, {
    remedy: 'Set an earlier `release` on the agent (step, sentence or chunk), or modelSettings.maxOutputTokens.',
  });
}
