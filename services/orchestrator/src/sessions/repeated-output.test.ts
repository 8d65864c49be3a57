import type { Chunk } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { dataChunk, delta, textEnd, makeText, textStart } from '../testing/chunks.ts';
import { RUN_ID } from '../testing/run-states.ts';
import { makeChunk } from '../transcript/make-chunk.ts';
import { compareWith, type Fresh } from './repeated-output.ts';

/** The chunks to publish, one by one as they arrive, and all of them at the end. */
function feed(published: readonly Chunk[], again: readonly Chunk[], isEnd = false): { chunks: Chunk[]; kept?: number } {
  const comparison = compareWith(published);
  const chunks: Chunk[] = [];
  let kept: number | undefined;
  const take = (fresh: Fresh) => {
    if (fresh.kept !== undefined) {
      if (kept !== undefined || chunks.length > 0) throw new Error('a difference after the decision');
      kept = fresh.kept;
    }
    chunks.push(...fresh.chunks);
  };
  for (const one of again) take(comparison.compare([one]));
  if (isEnd) take(comparison.end());
  return kept === undefined ? { chunks } : { chunks, kept };
}
const metadata = (payload: object) => makeChunk(RUN_ID, { type: 'response-metadata', payload });
const start = textStart();
const end = textEnd();

describe('repeated output', () => {
  test('is not published again, and later chunks are', () => {
    expect(feed([start, delta('a')], [start, delta('a'), delta('b'), end])).toEqual({ chunks: [delta('b'), end] });
  });

  test('is the same text however it is cut into pieces', () => {
    const again = [start, delta('Hel'), delta('lo wor'), delta('ld')];
    expect(feed([start, delta('Hello'), delta(' wo')], again)).toEqual({ chunks: [delta('r'), delta('ld')] });
    expect(feed([start, delta('Hello'), delta(' wo')], [start, delta('Hello world')])).toEqual({
      chunks: [delta('rld')],
    });
  });

  test('is compared by part: two open parts may arrive in another order', () => {
    const published = [delta('a1', 'a'), delta('b1', 'b'), delta('a2', 'a')];
    const again = [delta('a1', 'a'), delta('a2', 'a'), delta('a3', 'a'), delta('b1', 'b'), delta('b2', 'b')];
    expect(feed(published, again)).toEqual({ chunks: [delta('a3', 'a'), delta('b2', 'b')] });
  });

  test('is the same even if it was made at another time', () => {
    const at = (timestamp: string) => metadata({ id: 'r', timestamp });
    const published = [at('2026-01-01T00:00:00.000Z')];
    expect(feed(published, [at('2026-01-01T00:00:09.000Z'), start])).toEqual({ chunks: [start] });
  });

  test('has custom chunks that are compared by their order only, each type by itself', () => {
    const published = [dataChunk('count', 1), dataChunk('note', 'x'), dataChunk('count', 2)];
    const again = [dataChunk('count', 7), dataChunk('count', 8), dataChunk('note', 'y'), dataChunk('count', 9)];
    expect(feed(published, again)).toEqual({ chunks: [dataChunk('count', 9)] });
  });

  test('ends a step well when all of it has arrived', () => {
    expect(feed([start, delta('a'), end], [start, delta('a'), end], true)).toEqual({ chunks: [] });
  });

  test('may reuse the id of an ended part', () => {
    const published = [start, delta('a'), end, start, delta('b')];
    expect(feed(published, [start, delta('a'), end, start, delta('bc')])).toEqual({ chunks: [delta('c')] });
  });
});

describe('output that differs', () => {
  test('retracts the published chunks from there on, and replaces them', () => {
    const published = [start, delta('Hello '), delta('world'), delta('!')];
    const fresh = feed(published, [start, delta('Hello w'), delta('omen')]);
    expect(fresh).toEqual({ kept: 2, chunks: [delta('w'), delta('omen')] });
  });

  test.each<[string, Chunk[], Chunk[], number]>([
    ['a part that is longer than when it had ended', [start, delta('a'), end], [start, delta('ab')], 1],
    ['a part that ends sooner', [start, delta('ab'), end], [start, delta('a'), end], 1],
    ['a part that ends sooner, before it had ended', [start, delta('ab')], [start, delta('a'), end], 1],
    ['another chunk', [metadata({ id: 'a' }), start], [metadata({ id: 'b' })], 0],
    ['a chunk more', [start, end], [start, metadata({ id: 'b' })], 1],
    ['arguments of a tool with a time', [call({ at: 1 })], [call({ at: 2 })], 0],
    ['an end that was cut off', [start, delta('a'), end], [start, delta('a'), textEnd('other')], 2],
  ])('is %s', (_what, published, again, kept) => {
    const fresh = feed(published, again);
    expect(fresh.kept).toBe(kept);
    expect([...published.slice(0, kept), ...fresh.chunks].map(({ type }) => type)).toEqual(
      again.map(({ type }) => type),
    );
    expect(makeText([...published.slice(0, kept), ...fresh.chunks])).toBe(makeText(again));
  });

  test('keeps nothing after the first part that was not repeated, even if other parts were', () => {
    const published = [delta('a1', 'a'), delta('b1', 'b'), delta('a2', 'a')];
    const fresh = feed(published, [delta('a1', 'a'), delta('a2', 'a'), delta('bX', 'b')]);
    expect(fresh).toEqual({ kept: 1, chunks: [delta('a2', 'a'), delta('bX', 'b')] });
  });

  test('may be shorter: published chunks that were not repeated at the end no longer count', () => {
    expect(feed([start, delta('ab'), delta('c')], [start, delta('ab')], true)).toEqual({ kept: 2, chunks: [] });
    expect(feed([start, delta('ab')], [start, delta('a')], true)).toEqual({ kept: 1, chunks: [delta('a')] });
  });

  test('also is output that stays ahead of a missing part for too long', () => {
    const published = [delta('a', 'a'), delta('b', 'b')];
    const again = [delta('a', 'a'), ...Array.from({ length: 1_100 }, () => delta('x', 'a'))];
    expect(feed(published, again)).toEqual({ kept: 1, chunks: again.slice(1) });
  });
});

function call(args: object): Chunk {
  return makeChunk(RUN_ID, { type: 'tool-call', payload: { toolCallId: 'c', toolName: 't', args } });
}
