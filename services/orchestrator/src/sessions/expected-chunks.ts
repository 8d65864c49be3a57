// Compares a stream of chunks with an expected one, in a normal form: text by part as one string, because its pieces may be cut
// differently; custom chunks in queues of their own; all other chunks as a whole and in order. Pure.
import { isDataChunk, type Chunk } from '@millrace/contracts';
import { readEndedPart, readTextPiece, withPiece } from '../transcript/text-pieces.ts';

export type ChunkRules = {
  isSame(expected: Chunk, chunk: Chunk): boolean;
  /** Returns the queue of a custom chunk. */
  queueData(chunk: Chunk): string;
  /** If a custom chunk is not the same, the expected one stays in its queue. */
  isSameData(expected: Chunk, chunk: Chunk): boolean;
  /** Serializes the members of a piece that are compared besides its text; `''` if there are none. */
  serializeExtra(chunk: Chunk): string;
};

/** `beyond`: the chunk, or the rest of its text, follows everything that was expected so far. */
export type ChunkMatch = 'same' | 'different' | { beyond: Chunk };

export type ExpectedChunks = {
  /** @returns a predicate: the chunk was matched */
  add(chunk: Chunk): () => boolean;
  match(chunk: Chunk): ChunkMatch;
  /** @returns the type of the first expected chunk that was not matched */
  findMissing(): string | undefined;
};

/**
 * The text of a part: the unmatched one is `left` from `seen` on, then `later`, so that V8 flattens each piece once, also if
 * much text is held back. `matched`: length of the matched text. An id may name several parts in sequence.
 */
type ExpectedPart = {
  type: string;
  left: string;
  seen: number;
  later: string;
  matched: number;
  isClosed: boolean;
  extras: Set<string>;
};
/** `next`: index of the first chunk that was not matched; `matched`: number of all that were. */
type ExpectedQueue = { chunks: Chunk[]; next: number; matched: number };

/** Matched chunks of a queue that are released together. */
const RELEASED_CHUNKS = 64;

export function expectChunks(rules: ChunkRules): ExpectedChunks {
  /** Parts that have not ended in the compared stream. */
  const parts = new Map<string, ExpectedPart[]>();
  const others = openQueue();
  const data = new Map<string, ExpectedQueue>();

  const addPart = (key: string, type: string): ExpectedPart => {
    const list = getOrAdd(parts, key, () => []);
    const last = list.at(-1);
    if (last && !last.isClosed) return last;
    const text = { left: '', seen: 0, later: '', matched: 0 };
    const part = { type, ...text, isClosed: false, extras: new Set<string>() };
    list.push(part);
    return part;
  };
  const addPiece = (chunk: Chunk, key: string, text: string): (() => boolean) => {
    const part = addPart(key, chunk.type);
    part.later += text;
    const extra = rules.serializeExtra(chunk);
    if (extra !== '') part.extras.add(extra);
    const upTo = part.matched + countHeld(part);
    return () => part.matched >= upTo;
  };
  const matchPiece = (chunk: Chunk, key: string, text: string): ChunkMatch => {
    const part = parts.get(key)?.[0];
    if (!part) return { beyond: chunk };
    const extra = rules.serializeExtra(chunk);
    const count = Math.min(text.length, countHeld(part));
    const isLonger = text.length > count;
    if (extra !== '' && !part.extras.has(extra)) return 'different';
    if (readHeld(part, count) !== text.slice(0, count) || (isLonger && part.isClosed)) return 'different';
    takeText(part, count);
    return isLonger ? { beyond: withPiece(chunk, text.slice(count)) } : 'same';
  };
  const matchOther = (chunk: Chunk): ChunkMatch => {
    const ended = readEndedPart(chunk);
    if (ended !== undefined) {
      const list = parts.get(ended);
      // A part that ends before its expected text is another text.
      if (isHeld(list?.[0])) return 'different';
      list?.shift();
      if (list?.length === 0) parts.delete(ended);
    }
    const next = others.chunks[others.next];
    if (!next) return { beyond: chunk };
    takeNext(others);
    return rules.isSame(next, chunk) ? 'same' : 'different';
  };
  const matchData = (chunk: Chunk): ChunkMatch => {
    const queue = data.get(rules.queueData(chunk));
    const next = queue?.chunks[queue.next];
    if (!queue || !next || !rules.isSameData(next, chunk)) return { beyond: chunk };
    takeNext(queue);
    return 'same';
  };
  return {
    add(chunk) {
      const piece = readTextPiece(chunk);
      if (piece) return addPiece(chunk, piece.part, piece.text);
      const ended = readEndedPart(chunk);
      if (ended !== undefined) addPart(ended, chunk.type).isClosed = true;
      const queue = isDataChunk(chunk) ? getOrAdd(data, rules.queueData(chunk), openQueue) : others;
      queue.chunks.push(chunk);
      const upTo = queue.matched + queue.chunks.length - queue.next;
      return () => queue.matched >= upTo;
    },
    match(chunk) {
      const piece = readTextPiece(chunk);
      if (piece) return matchPiece(chunk, piece.part, piece.text);
      return isDataChunk(chunk) ? matchData(chunk) : matchOther(chunk);
    },
    findMissing() {
      for (const list of parts.values()) for (const part of list) if (isHeld(part)) return part.type;
      const other = others.chunks[others.next];
      if (other) return other.type;
      for (const { chunks, next } of data.values()) if (chunks[next]) return chunks[next].type;
      return undefined;
    },
  };
}

const countHeld = ({ left, seen, later }: ExpectedPart): number => left.length - seen + later.length;
const isHeld = (part: ExpectedPart | undefined): boolean => part !== undefined && countHeld(part) > 0;

/** Returns the beginning of the unmatched text. @param count at most its length */
function readHeld({ left, seen, later }: ExpectedPart, count: number): string {
  const missing = count - (left.length - seen);
  return left.slice(seen, seen + count) + (missing > 0 ? later.slice(0, missing) : '');
}

function takeText(part: ExpectedPart, count: number): void {
  part.matched += count;
  part.seen += count;
  if (part.seen < part.left.length) return;
  part.seen -= part.left.length;
  part.left = part.later;
  part.later = '';
}

const openQueue = (): ExpectedQueue => ({ chunks: [], next: 0, matched: 0 });

function takeNext(queue: ExpectedQueue): void {
  queue.matched += 1;
  queue.next += 1;
  if (queue.next < RELEASED_CHUNKS) return;
  queue.chunks.splice(0, queue.next);
  queue.next = 0;
}

function getOrAdd<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
