// Reduces the output of a run, purely. A chunk is buffered until the agent's `release` policy or the end of a hold
// publishes it; from then on the log has it, and only its index is known here. A buffered chunk has a place: the index
// that it gets if everything before it is published. A retract thus names the same number in both cases, and a buffered
// chunk disappears without a trace. A transient custom chunk has no place of its own, and only a hold buffers it.
import type { Chunk, Release, RunAction } from '@millrace/contracts';
import { isTransient } from './chunk-publisher.ts';
import { joinPieces } from './text-pieces.ts';

type BufferedChunk = { chunk: Chunk; bytes: number; isTransient: boolean };

export type Transcript = {
  readonly release: Release;
  /** Index of the next published chunk. */
  readonly next: number;
  /** The buffered chunks in order, up to `length`: the list grows in place, and an earlier state keeps its own length. */
  readonly list: BufferedChunk[];
  readonly length: number;
  /** Number of buffered chunks with a place. */
  readonly places: number;
  /** Size of the buffered chunks as JSON. */
  readonly bytes: number;
  /** Chunks before this place were judged with their step. */
  readonly settledTo: number;
  /** Nothing waits for a judgement. */
  readonly isOpen: boolean;
  /** Number of active holds. */
  readonly holds: number;
  /** Number of chunks that the records of the run have as buffered, and of the first ones that are unchanged since. */
  readonly recorded: number;
  readonly same: number;
};

export type TranscriptEvent =
  | { type: 'appended'; chunks: readonly Chunk[] }
  /** Drops the buffered chunks from the place on. `report` retracts the others, if there are any. */
  | { type: 'withdrawn'; from: number; report: readonly Chunk[] }
  /** Puts the chunks in place of the buffered ones from the place on. */
  | { type: 'replaced'; from: number; chunks: readonly Chunk[] }
  /** Everything so far is judged, as far as a step is. Afterwards no event names a place after `from`, the first of the step. */
  | { type: 'settled'; from: number }
  /** The run has ended well. */
  | { type: 'released' }
  | { type: 'held' }
  | { type: 'hold-ended' }
  /** The lost owner has buffered the chunks. */
  | { type: 'restored'; chunks: readonly Chunk[] }
  /** A record is written. `from`: as in `settled`. */
  | { type: 'recorded'; from: number };

/** `publish`: the chunks that leave, in order. `actions`: the record of the buffered chunks. */
export type TranscriptStep = {
  transcript: Transcript;
  publish: readonly Chunk[];
  actions: readonly RunAction[];
};

/** @param next index of the first chunk */
export const openTranscript = (release: Release, next: number): Transcript => ({
  release,
  next,
  list: [],
  length: 0,
  places: 0,
  bytes: 0,
  settledTo: 0,
  isOpen: release === 'chunk',
  holds: 0,
  recorded: 0,
  same: 0,
});

/** Returns the place of the next chunk. */
export const getNextPlace = ({ next, places }: Transcript): number => next + places;

/** Returns the place of each chunk, or of the next one after a transient chunk. */
export function countPlaces(chunks: readonly Chunk[], first: number): number[] {
  let next = first;
  return chunks.map((chunk) => (isTransient(chunk) ? next : next++));
}

/** Returns the buffered chunks from the place on. */
export const listBuffered = (transcript: Transcript, from: number): Chunk[] =>
  list(transcript)
    .slice(findPlace(transcript, from))
    .flatMap((one) => (one.isTransient ? [] : [one.chunk]));

export function reduceTranscript(transcript: Transcript, event: TranscriptEvent): TranscriptStep {
  switch (event.type) {
    case 'appended':
      return append(transcript, event.chunks);
    case 'withdrawn':
      return withdraw(transcript, event.from, event.report);
    case 'replaced':
      return append(drop(transcript, event.from), event.chunks);
    case 'settled':
      return transcript.isOpen ? keep(transcript) : publishReleasable(settle(merge(transcript, event.from)));
    case 'released':
      return publishReleasable({ ...transcript, isOpen: true });
    case 'held':
      return keep({ ...transcript, holds: transcript.holds + 1 });
    case 'hold-ended':
      return endHold({ ...transcript, holds: transcript.holds - 1 });
    case 'restored': {
      const [recorded, same] = [event.chunks.length, event.chunks.length];
      return keep({ ...addAll(transcript, event.chunks), recorded, same });
    }
    case 'recorded':
      return record(transcript.release === 'chunk' ? transcript : merge(transcript, event.from));
  }
}

const keep = (transcript: Transcript): TranscriptStep => ({ transcript, publish: [], actions: [] });

function append(transcript: Transcript, chunks: readonly Chunk[]): TranscriptStep {
  const { isOpen, holds, length } = transcript;
  if (isOpen && holds === 0 && length === 0) return publishNext(transcript, chunks);
  if (holds > 0 || !chunks.some(isTransient)) return publishReleasable(addAll(transcript, chunks));
  // Buffered chunks that may leave leave before a transient one, the others after it.
  let step = keep(transcript);
  for (const chunk of chunks) {
    const next = isTransient(chunk)
      ? join(publishReleasable(step.transcript), (one) => publishNext(one, [chunk]))
      : keep(addAll(step.transcript, [chunk]));
    step = { ...next, publish: [...step.publish, ...next.publish] };
  }
  return join(step, publishReleasable);
}

/** Applies the change to the state after the step. */
function join(step: TranscriptStep, change: (transcript: Transcript) => TranscriptStep): TranscriptStep {
  const next = change(step.transcript);
  return { ...next, publish: [...step.publish, ...next.publish] };
}

function withdraw(transcript: Transcript, from: number, report: readonly Chunk[]): TranscriptStep {
  if (from >= getNextPlace(transcript)) return keep(transcript);
  const dropped = drop(transcript, from);
  return from < transcript.next ? publishNext(dropped, report) : keep(dropped);
}

function endHold(transcript: Transcript): TranscriptStep {
  if (transcript.holds > 0) return keep(transcript);
  return join(publishReleasable(transcript), (rest) => {
    const all = list(rest);
    const transient = all.filter((one) => one.isTransient);
    if (transient.length === 0) return keep(rest);
    const kept = withList(
      rest,
      all.filter((one) => !one.isTransient),
    );
    return publishNext({ ...kept, same: 0 }, asChunks(transient));
  });
}

const settle = (transcript: Transcript): Transcript => ({ ...transcript, settledTo: getNextPlace(transcript) });

/** Publishes the chunks before the first one that has to wait. */
function publishReleasable(transcript: Transcript): TranscriptStep {
  const { isOpen, holds, release, length, settledTo } = transcript;
  if (holds > 0 || length === 0) return keep(transcript);
  const end = isOpen ? length : release === 'result' ? 0 : findPlace(transcript, settledTo);
  if (end === 0) return keep(transcript);
  const all = list(transcript);
  return publishNext({ ...withList(transcript, all.slice(end)), same: 0 }, asChunks(all.slice(0, end)));
}

function publishNext(transcript: Transcript, publish: readonly Chunk[]): TranscriptStep {
  let { next } = transcript;
  for (const chunk of publish) if (!isTransient(chunk)) next += 1;
  return { transcript: { ...transcript, next }, publish, actions: [] };
}

function drop(transcript: Transcript, from: number): Transcript {
  const kept = list(transcript).slice(0, findPlace(transcript, from));
  const dropped = kept.length === transcript.length ? transcript : withList(transcript, kept);
  const same = Math.min(transcript.same, dropped.places);
  return { ...dropped, same, settledTo: Math.min(transcript.settledTo, from) };
}

/** Merges adjacent pieces of one part, from the place on. */
function merge(transcript: Transcript, from: number): Transcript {
  const all = list(transcript);
  const at = findPlace(transcript, from);
  const merged = mergePieces(all.slice(at));
  if (at + merged.length === all.length) return transcript;
  return { ...withList(transcript, [...all.slice(0, at), ...merged]), same: Math.min(transcript.same, at) };
}

function mergePieces(buffered: readonly BufferedChunk[]): BufferedChunk[] {
  const merged: BufferedChunk[] = [];
  for (const one of buffered) {
    const last = merged.at(-1);
    const chunk = last && joinPieces(last.chunk, one.chunk);
    if (chunk) merged[merged.length - 1] = toBuffered(chunk);
    else merged.push(one);
  }
  return merged;
}

/** Size limit of one action as JSON: a record contains at least one action and is one message. */
const MAX_ACTION_BYTES = 1024 * 1024;

/** Records the buffered chunks that are not in the records yet. */
function record(transcript: Transcript): TranscriptStep {
  const { recorded, same, places } = transcript;
  if (same === recorded && places === same) return keep(transcript);
  const counted = list(transcript).filter((one) => !one.isTransient);
  const actions = splitIntoActions(counted.slice(same), same);
  return { transcript: { ...transcript, recorded: places, same: places }, publish: [], actions };
}

function splitIntoActions(held: readonly BufferedChunk[], from: number): RunAction[] {
  const actions: { action: 'chunks-held'; keep: number; chunks: Chunk[] }[] = [];
  let kept = from;
  let bytes = Infinity;
  for (const one of held) {
    if (bytes + one.bytes > MAX_ACTION_BYTES) {
      actions.push({ action: 'chunks-held', keep: kept, chunks: [] });
      bytes = 0;
    }
    actions.at(-1)?.chunks.push(one.chunk);
    kept += 1;
    bytes += one.bytes;
  }
  return actions.length > 0 ? actions : [{ action: 'chunks-held', keep: from, chunks: [] }];
}

const list = ({ list: all, length }: Transcript): readonly BufferedChunk[] =>
  all.length === length ? all : all.slice(0, length);
const asChunks = (buffered: readonly BufferedChunk[]): Chunk[] => buffered.map(({ chunk }) => chunk);

/** Returns the number of buffered chunks before the place. */
function findPlace(transcript: Transcript, place: number): number {
  const { next, places, length } = transcript;
  if (places === length) return Math.min(Math.max(place - next, 0), length);
  let at = next;
  const found = list(transcript).findIndex((one) => (one.isTransient ? at : at++) >= place);
  return found < 0 ? length : found;
}

const toBuffered = (chunk: Chunk): BufferedChunk => ({
  chunk,
  isTransient: isTransient(chunk),
  bytes: Buffer.byteLength(JSON.stringify(chunk)),
});

function addAll(transcript: Transcript, chunks: readonly Chunk[]): Transcript {
  const all =
    transcript.list.length === transcript.length ? transcript.list : transcript.list.slice(0, transcript.length);
  let { places, bytes } = transcript;
  for (const one of chunks.map(toBuffered)) {
    all.push(one);
    bytes += one.bytes;
    if (!one.isTransient) places += 1;
  }
  return { ...transcript, list: all, length: all.length, places, bytes };
}

const withList = (transcript: Transcript, all: readonly BufferedChunk[]): Transcript => ({
  ...transcript,
  list: [...all],
  length: all.length,
  places: all.filter((one) => !one.isTransient).length,
  bytes: all.reduce((sum, one) => sum + one.bytes, 0),
});
