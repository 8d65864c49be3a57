// Whether what comes out of a step's processors a second time repeats what was published the first time: then it is not published
// again. Text is compared by part as one string, since its pieces may be cut otherwise; custom chunks by order alone, since they may
// count and measure; all others whole, but for the time at which they were made. Pure.
import { isDataChunk, type Chunk } from '@millrace/contracts';
import { isDeepStrictEqual } from 'node:util';
import { endedPart, textPiece, withPiece } from '../state/text-pieces.ts';

export type Fresh = {
  /** To be published now. */
  chunks: readonly Chunk[];
  /** Only so many of the published chunks still count, from the first one on. Absent: all. */
  kept?: number;
};

export type Comparison = {
  see(chunks: readonly Chunk[]): Fresh;
  /** Nothing more comes: what was published and did not come again no longer counts. */
  end(): Fresh;
};

/** What is new waits for what was published to come again; so much of it, then the rest counts as different. */
const MAX_AHEAD_CHUNKS = 1_024;

/** The text of one part, as far as it was published, and how much of it has come again. */
type Part = { text: string; closed: boolean; seen: number };

export function compareWith(published: readonly Chunk[]): Comparison {
  const said = readPublished(published);
  const opened = new Map<string, number>();
  const again: Chunk[] = [];
  const ahead: Chunk[] = [];
  let others = 0;
  const data = new Map<string, number>();
  /** Before it everything has come again. */
  let first = 0;
  let over = published.length === 0;

  const partAt = (key: string): Part | undefined => said.parts.get(key)?.[opened.get(key) ?? 0];
  const seeText = (chunk: Chunk, key: string, text: string): boolean => {
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
  const seeData = (chunk: Chunk): boolean => {
    const count = data.get(chunk.type) ?? 0;
    data.set(chunk.type, count + 1);
    return count < (said.data.get(chunk.type)?.length ?? 0) || ahead.push(chunk) > 0;
  };
  const seeOther = (chunk: Chunk): boolean => {
    const key = endedPart(chunk);
    const part = key === undefined ? undefined : partAt(key);
    // A part that ends sooner than it did before is another text.
    if (part && part.seen < part.text.length) return false;
    if (key !== undefined) opened.set(key, (opened.get(key) ?? 0) + 1);
    const at = said.others[others];
    if (at === undefined) return ahead.push(chunk) > 0;
    others += 1;
    return isSame(published[at], chunk);
  };
  const repeats = (chunk: Chunk): boolean => {
    const piece = textPiece(chunk);
    if (piece) return seeText(chunk, piece.part, piece.text);
    return isDataChunk(chunk) ? seeData(chunk) : seeOther(chunk);
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
        const isRepeated = repeats(chunk);
        // What differs has itself been counted as come: only what came before it stands.
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

/** Where a published chunk is looked for: in its part's text, among the custom chunks of its type, or among all others. */
type Place = { part: Part; upTo: number } | { of: string | undefined; number: number };

function readPublished(published: readonly Chunk[]) {
  const parts = new Map<string, Part[]>();
  const others: number[] = [];
  const data = new Map<string, number[]>();
  const openPart = (key: string): Part => {
    const known = parts.get(key) ?? [];
    parts.set(key, known);
    const last = known.at(-1);
    if (last && !last.closed) return last;
    const part = { text: '', closed: false, seen: 0 };
    known.push(part);
    return part;
  };
  const places = published.map((chunk, at): Place => {
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

/** Of the chunk itself and of its payload: what a tool is called with is compared with all that it holds. */
function withoutTimes(chunk: object): object {
  return Object.fromEntries(Object.entries(chunk).filter((member) => !isTime(member)));
}

function isSame(one: Chunk | undefined, other: Chunk): boolean {
  if (one === undefined || one.type !== other.type) return false;
  return isDeepStrictEqual(one, other) || isDeepStrictEqual(timeless(one), timeless(other));
}

function timeless(chunk: Chunk): object {
  const rest = withoutTimes(chunk);
  const payload: unknown = 'payload' in chunk ? chunk.payload : undefined;
  return typeof payload === 'object' && payload !== null ? { ...rest, payload: withoutTimes(payload) } : rest;
}
