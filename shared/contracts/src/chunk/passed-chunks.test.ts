import { describe, expect, test } from 'vitest';
import type { Chunk } from './chunk.ts';
import { MAX_NESTING } from '../base/json.ts';
import { checkPassedChunks } from './passed-chunks.ts';

const chunk = (type: string, more: object = {}): Chunk =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- chunks of any type, as a message may hold them
  ({ type, runId: 'r1', from: 'AGENT', payload: {}, ...more }) as Chunk;
const text = chunk('text-delta', { payload: { id: 't', text: 'a' } });
const nestedTo = (levels: number): unknown => (levels === 0 ? 'x' : [nestedTo(levels - 1)]);
const finish = chunk('finish');
const error = chunk('error');

describe('output of processOutputStream', () => {
  test('Chunks of the own run pass without a copy', () => {
    const out = [text, chunk('data-note')];
    expect(checkPassedChunks('r1', [text], out)).toEqual({ chunks: out });
    const passed = checkPassedChunks('r1', [text], out);
    expect('chunks' in passed && passed.chunks).toBe(out);
  });

  test('The run and the sender of a chunk are overwritten', () => {
    const foreign = { ...text, runId: 'another', from: 'USER' as const };
    expect(checkPassedChunks('r1', [], [foreign])).toEqual({ chunks: [text] });
  });

  test.each(['start', 'abort', 'tripwire', 'retract', 'suspended', 'resumed'])(
    'A control chunk is rejected: %s',
    (type) => {
      expect(checkPassedChunks('r1', [text], [text, chunk(type)])).toEqual({
        refused: expect.stringContaining(`"${type}"`),
      });
    },
  );

  test.each(['data-ada@example.com', 'call ada'])('A chunk of a type of another form is rejected: %s', (type) => {
    expect(checkPassedChunks('r1', [text], [text, chunk(type)])).toEqual({
      refused: expect.stringContaining('1 to 64 characters'),
    });
  });

  test.each([
    ['a finish that is missing', [finish], []],
    ['an error that is missing', [error], [text]],
    ['one finish of two that is missing', [finish, finish], [finish]],
    ['a finish that did not go in', [text], [text, finish]],
    ['an error that did not go in', [finish], [finish, error]],
    ['a finish that is sent twice', [finish], [finish, finish]],
  ])('The output is rejected: %s', (_what, given, out) => {
    expect(checkPassedChunks('r1', given, out)).toHaveProperty('refused');
  });

  test('Chunks may be dropped or changed, and a finish may be changed', () => {
    const changed = chunk('finish', { payload: { changed: true } });
    expect(checkPassedChunks('r1', [text, finish], [changed])).toEqual({ chunks: [changed] });
  });

  test('A chunk that is nested too deep to be written is rejected', () => {
    const deep = chunk('data-deep', { data: nestedTo(MAX_NESTING) });
    expect(checkPassedChunks('r1', [], [deep])).toEqual({ refused: expect.stringContaining('nested') });
  });
});
