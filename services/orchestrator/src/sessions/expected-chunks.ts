// Compares a stream of chunks with an expected one, in a normal form: text by part as one string, because its pieces may be cut
// differently; custom chunks in queues of their own; all other chunks as a whole and in order. Pure.
import { isDataChunk, type Chunk } from '@millrace/contracts';
import { readEndedPart, readTextPiece, withPiece } from '../release/text-pieces.ts';

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

/** The expected text of a part, from its first piece to its end. An id may name several parts in sequence. */
type ExpectedPart = { type: string; text: string; isClosed: boolean; seen: number; extras: Set<string> };
type ExpectedQueue = { chunks: Chunk[]; matched: number };
type PartList = { list: ExpectedPart[]; ended: number };

export function expectChunks(rules: ChunkRules): ExpectedChunks {
  const parts = new Map<string, PartList>();
  const others: ExpectedQueue = { chunks: [], matched: 0 };
  const data = new Map<string, ExpectedQueue>();

  const addPart = (key: string, type: string): ExpectedPart => {
    const { list } = getOrAdd(parts, key, () => ({ list: [], ended: 0 }));
    const last = list.at(-1);
    if (last && !last.isClosed) return last;
    const part = { type, text: '', isClosed: false, seen: 0, extras: new Set<string>() };
    list.push(part);
    return part;
  };
  const addPiece = (chunk: Chunk, key: string, text: string): (() => boolean) => {
    const part = addPart(key, chunk.type);
    part.text += text;
    const extra = rules.serializeExtra(chunk);
    if (extra !== '') part.extras.add(extra);
    const upTo = part.text.length;
    return () => part.seen >= upTo;
  };
  const matchPiece = (chunk: Chunk, key: string, text: string): ChunkMatch => {
    const known = parts.get(key);
    const part = known?.list[known.ended];
    if (!part) return { beyond: chunk };
    const extra = rules.serializeExtra(chunk);
    const left = part.text.length - part.seen;
    const expected = text.slice(0, left);
    if (extra !== '' && !part.extras.has(extra)) return 'different';
    if (!part.text.startsWith(expected, part.seen) || (text.length > left && part.isClosed)) return 'different';
    part.seen += expected.length;
    return text.length > left ? { beyond: withPiece(chunk, text.slice(left)) } : 'same';
  };
  const matchOther = (chunk: Chunk): ChunkMatch => {
    const ended = readEndedPart(chunk);
    if (ended !== undefined) {
      const known = getOrAdd(parts, ended, () => ({ list: [], ended: 0 }));
      // A part that ends before its expected text is another text.
      if (isHeld(known.list[known.ended])) return 'different';
      known.ended += 1;
    }
    const next = others.chunks[others.matched];
    if (!next) return { beyond: chunk };
    others.matched += 1;
    return rules.isSame(next, chunk) ? 'same' : 'different';
  };
  const matchData = (chunk: Chunk): ChunkMatch => {
    const queue = data.get(rules.queueData(chunk));
    const next = queue?.chunks[queue.matched];
    if (!queue || !next || !rules.isSameData(next, chunk)) return { beyond: chunk };
    queue.matched += 1;
    return 'same';
  };
  return {
    add(chunk) {
      const piece = readTextPiece(chunk);
      if (piece) return addPiece(chunk, piece.part, piece.text);
      const ended = readEndedPart(chunk);
      if (ended !== undefined) addPart(ended, chunk.type).isClosed = true;
      const isData = isDataChunk(chunk);
      const queue = isData ? getOrAdd(data, rules.queueData(chunk), () => ({ chunks: [], matched: 0 })) : others;
      const at = queue.chunks.push(chunk);
      return () => queue.matched >= at;
    },
    match(chunk) {
      const piece = readTextPiece(chunk);
      if (piece) return matchPiece(chunk, piece.part, piece.text);
      return isDataChunk(chunk) ? matchData(chunk) : matchOther(chunk);
    },
    findMissing() {
      const held = [...parts.values()].flatMap(({ list }) => list).find(isHeld);
      const queues = [others, ...data.values()];
      return held?.type ?? queues.flatMap(({ chunks, matched }) => chunks.slice(matched, matched + 1))[0]?.type;
    },
  };
}

const isHeld = (part: ExpectedPart | undefined): boolean => part !== undefined && part.seen < part.text.length;

function getOrAdd<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
