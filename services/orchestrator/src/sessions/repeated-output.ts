// Compares the repeated output of a step's processors with the published one: repeated chunks are not published again. Custom chunks are
// compared only by their order, because they may count and measure; all others without the time at which they were made. Pure.
import type { Chunk } from '@millrace/contracts';
import { isDeepStrictEqual } from 'node:util';
import { expectChunks, type ChunkRules } from './expected-chunks.ts';

export type Fresh = {
  /** Chunks to publish now. */
  chunks: readonly Chunk[];
  /** Number of published chunks that still count, from the first one on. Absent: all. */
  kept?: number;
};

export type Comparison = {
  compare(chunks: readonly Chunk[]): Fresh;
  /** Ends the output: published chunks that were not repeated no longer count. */
  end(): Fresh;
};

/** Maximum number of new chunks that wait for published ones to be repeated; above it the rest counts as different. */
const MAX_AHEAD_CHUNKS = 1_024;

const RULES: ChunkRules = {
  isSame: (published, chunk) =>
    published.type === chunk.type &&
    (isDeepStrictEqual(published, chunk) || isDeepStrictEqual(removeTimes(published), removeTimes(chunk))),
  queueData: ({ type }) => type,
  isSameData: () => true,
  serializeExtra: () => '',
};

export function compareWith(published: readonly Chunk[]): Comparison {
  const expected = expectChunks(RULES);
  const repeated = published.map((chunk) => expected.add(chunk));
  const again: Chunk[] = [];
  const ahead: Chunk[] = [];
  /** All published chunks before this index were repeated. */
  let first = 0;
  let over = published.length === 0;

  const differs = (): Fresh => {
    over = true;
    return { kept: first, chunks: compareWith(published.slice(0, first)).compare(again).chunks };
  };
  return {
    compare(chunks) {
      if (over) return { chunks };
      for (const [at, chunk] of chunks.entries()) {
        again.push(chunk);
        const match = expected.match(chunk);
        if (typeof match === 'object') ahead.push(match.beyond);
        // A differing chunk was counted as repeated: only the chunks before it stay.
        if (match !== 'different') while (repeated[first]?.()) first += 1;
        if (match === 'different' || ahead.length > MAX_AHEAD_CHUNKS) {
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

const TIMES = new Set(['timestamp', 'createdAt', 'at', 'startedAt', 'endedAt']);
const isTime = ([name, value]: [string, unknown]): boolean =>
  TIMES.has(name) && (typeof value === 'number' || (typeof value === 'string' && !Number.isNaN(Date.parse(value))));

/** Omits times of the chunk and of its payload only: a tool's arguments are compared with all their members. */
function omitTimes(chunk: object): object {
  return Object.fromEntries(Object.entries(chunk).filter((member) => !isTime(member)));
}

function removeTimes(chunk: Chunk): object {
  const rest = omitTimes(chunk);
  const payload: unknown = 'payload' in chunk ? chunk.payload : undefined;
  return typeof payload === 'object' && payload !== null ? { ...rest, payload: omitTimes(payload) } : rest;
}
