// Compares the repeated output of a step's processors with the published one: repeated chunks are not published again.
// Text is compared by part as one string, because its pieces may be cut differently; custom chunks only by order,
// because they may count and measure; all others as a whole, except the time at which they were made. Pure.
import { isDataChunk, type Chunk } from '@millrace/contracts';
import { isDeepStrictEqual } from 'node:util';
import { endedPart, textPiece, withPiece } from '../release/text-pieces.ts';

export type Fresh = {
  /** Chunks to publish now. */
  chunks: readonly Chunk[];
  /** Number of published chunks that still count, from the first one on. Absent: all. */
  kept?: number;
};

export type Comparison = {
  see(chunks: readonly Chunk[]): Fresh;
  /** Ends the output: published chunks that were not repeated no longer count. */
  end(): Fresh;
};

/** Maximum number of new chunks that wait for published ones to be repeated; above it the rest counts as different. */
const MAX_AHEAD_CHUNKS = 1_024;

/** The published text of one part, and how much of it was repeated. */
type RepeatedPart = { text: string; closed: boolean; seen: number };

export function compareWith(published: readonly Chunk[]): Comparison {
  const said = readPublished(published);
  const opened = new Map<string, number>();
  const again: Chunk[] = [];
  const ahead: Chunk[] = [];
  let others = 0;
  const data = new Map<string, number>();
  /** All published chunks before this index were repeated. */
  let first = 0;
  let over = published.length === 0;

  const partAt = (key: string): RepeatedPart | undefined => said.parts.get(key)?.[opened.get(key) ?? 0];
  const matchesText = (chunk: Chunk, key: string, text: string): boolean => {
    const part = partAt(key);
    if (!part) return ahead.push(chunk) > 0;
    const left = part.text.length - part.seen;
    if (text.length <= left) {
      if (!part.text.startsWith(text, part.seen)) return false;
      part.seen += text.length;
      return true;
    }
    if (part.closed || part.text.slice(part.seen) !== text.slice(0, left)) return false;
    part.seen = part.text.length;
    return ahead.push(withPiece(chunk, text.slice(left))) > 0;
  };
  const matchesData = (chunk: Chunk): boolean => {
    const count = data.get(chunk.type) ?? 0;
    data.set(chunk.type, count + 1);
    return count < (said.data.get(chunk.type)?.length ?? 0) || ahead.push(chunk) > 0;
  };
  const matchesOther = (chunk: Chunk): boolean => {
    const key = endedPart(chunk);
    const part = key === undefined ? undefined : partAt(key);
    // A part that ends earlier than before is another text.
    if (part && part.seen < part.text.length) return false;
    if (key !== undefined) opened.set(key, (opened.get(key) ?? 0) + 1);
    const at = said.others[others];
    if (at === undefined) return ahead.push(chunk) > 0;
    others += 1;
    return isSame(published[at], chunk);
  };
  const matchesChunk = (chunk: Chunk): boolean => {
    const piece = textPiece(chunk);
    if (piece) return matchesText(chunk, piece.part, piece.text);
    return isDataChunk(chunk) ? matchesData(chunk) : matchesOther(chunk);
  };
  const hasCome = (at: number): boolean => {
    const place = said.places[at];
    if (place === undefined) return false;
    if ('part' in place) return place.part.seen >= place.upTo;
    return place.of === undefined ? place.number < others : place.number < (data.get(place.of) ?? 0);
  };
  const differs = (): Fresh => {
    over = true;
    return { kept: first, chunks: compareWith(published.slice(0, first)).see(again).chunks };
  };
  return {
    see(chunks) {
      if (over) return { chunks };
      for (const [at, chunk] of chunks.entries()) {
        again.push(chunk);
        const isRepeated = matchesChunk(chunk);
        // A differing chunk was counted as repeated: only the chunks before it stay.
        if (isRepeated) while (hasCome(first)) first += 1;
        if (!isRepeated || ahead.length > MAX_AHEAD_CHUNKS) {
          again.push(...chunks.slice(at + 1));
          return differs();
        }
        if (first < published.length) continue;
        over = true;
        return { chunks: [...ahead, ...chunks.slice(at + 1)] };
      }
      return { chunks: [] };
    },
    end: () => (over ? { chunks: [] } : differs()),
  };
}

/** Position of a published chunk: in its part's text, among the custom chunks of its type, or among all others. */
type OutputPlace = { part: RepeatedPart; upTo: number } | { of: string | undefined; number: number };

function readPublished(published: readonly Chunk[]) {
  const parts = new Map<string, RepeatedPart[]>();
  const others: number[] = [];
  const data = new Map<string, number[]>();
  const openPart = (key: string): RepeatedPart => {
    const known = parts.get(key) ?? [];
    parts.set(key, known);
    const last = known.at(-1);
    if (last && !last.closed) return last;
    const part = { text: '', closed: false, seen: 0 };
    known.push(part);
    return part;
  };
  const places = published.map((chunk, at): OutputPlace => {
    const piece = textPiece(chunk);
    if (piece) {
      const part = openPart(piece.part);
      part.text += piece.text;
      return { part, upTo: part.text.length };
    }
    const ended = endedPart(chunk);
    if (ended !== undefined) openPart(ended).closed = true;
    if (!isDataChunk(chunk)) return { of: undefined, number: others.push(at) - 1 };
    const ofType = data.get(chunk.type) ?? [];
    data.set(chunk.type, ofType);
    return { of: chunk.type, number: ofType.push(at) - 1 };
  });
  return { parts, others, data, places };
}

const TIMES = new Set(['timestamp', 'createdAt', 'at', 'startedAt', 'endedAt']);
const isTime = ([name, value]: [string, unknown]): boolean =>
  TIMES.has(name) && (typeof value === 'number' || (typeof value === 'string' && !Number.isNaN(Date.parse(value))));

/** Omits times of the chunk and of its payload only: a tool's arguments are compared with all their members. */
function omitTimes(chunk: object): object {
  return Object.fromEntries(Object.entries(chunk).filter((member) => !isTime(member)));
}

function isSame(one: Chunk | undefined, other: Chunk): boolean {
  if (one === undefined || one.type !== other.type) return false;
  return isDeepStrictEqual(one, other) || isDeepStrictEqual(removeTimes(one), removeTimes(other));
}

function removeTimes(chunk: Chunk): object {
  const rest = omitTimes(chunk);
  const payload: unknown = 'payload' in chunk ? chunk.payload : undefined;
  return typeof payload === 'object' && payload !== null ? { ...rest, payload: omitTimes(payload) } : rest;
}
