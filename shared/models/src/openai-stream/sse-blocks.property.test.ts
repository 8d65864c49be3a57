import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSseSplitter, MAX_BLOCK_CHARS } from './sse-blocks.ts';

const lines = fc.constantFrom('data: {"a":1}', 'data:{"b":2}', 'event: x', ': comment', 'data: [DONE]', 'id: 7', '');
const ends = fc.constantFrom('\n', '\n', '\n', '\r\n', '\r');
const streams = fc
  .array(fc.tuple(lines, ends), { maxLength: 30 })
  .map((all) => all.map(([line, end]) => line + end).join(''));
const cuts = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 8 });

function splitAll(text: string, sizes: readonly number[]) {
  const splitter = createSseSplitter();
  const blocks = [];
  for (let at = 0, count = 0; at < text.length; count += 1) {
    const size = sizes[count % sizes.length] ?? 1;
    blocks.push(...splitter.split(text.slice(at, at + size)));
    at += size;
  }
  return { blocks, rest: splitter.takeRest(), isSplitting: splitter.isSplitting() };
}

test('a stream in any pieces gives all of its text, in order', () => {
  fc.assert(
    fc.property(streams, cuts, (text, sizes) => {
      const { blocks, rest } = splitAll(text, sizes);
      expect(blocks.map(({ source }) => source).join('') + rest).toBe(text);
    }),
  );
});

test('a stream without bare carriage returns gives the same blocks in any pieces', () => {
  fc.assert(
    fc.property(streams, cuts, (stream, sizes) => {
      const text = stream.replaceAll(/\r(?!\n)/g, '\n');
      const { blocks, isSplitting } = splitAll(text, sizes);
      expect(isSplitting).toBe(true);
      expect(blocks).toEqual(splitAll(text, [text.length + 1]).blocks);
    }),
  );
});

test('a block beyond the bound passes unsplit, and so does the rest of the stream', () => {
  const long = `data: ${'x'.repeat(MAX_BLOCK_CHARS * 2)}`;
  const { blocks, rest, isSplitting } = splitAll(`${long}\n\ndata: 1\n\n`, [50_000]);
  expect(isSplitting).toBe(false);
  expect(rest).toBe('');
  expect(blocks.every(({ data }) => data === undefined)).toBe(true);
});
