import type { Chunk } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { dataChunk, delta, say, textEnd, textStart } from '../testing/chunks.ts';
import { RUN_ID } from '../testing/run-states.ts';
import { makeChunk } from '../transcript/make-chunk.ts';
import { openComparison } from '../testing/compared-output.ts';

const makeSource = (payload: object) => makeChunk(RUN_ID, { type: 'source', payload: { id: 's', ...payload } });
const source = makeSource({ url: 'https://example.org' });
/** The type of the first differing or missing chunk. */
const holdText = (given: Chunk[], ...came: Chunk[][]) => {
  const output = openComparison();
  output.recordGiven(given);
  return came.map((chunks) => output.compare(chunks)).find((changed) => changed !== undefined) ?? output.findMissing();
};

describe('the output equals the input', () => {
  test.each<[string, Chunk[], Chunk[][]]>([
    ['where nothing was changed', say('a', 'b'), [say('a', 'b')]],
    [
      'where text was cut otherwise',
      say('ab', 'c'),
      [
        [textStart(), delta('a')],
        [delta('bc'), textEnd()],
      ],
    ],
    [
      'another chunk before buffered text',
      [...say('a').slice(0, 2), source, textEnd()],
      [
        [textStart(), source],
        [delta('a'), textEnd()],
      ],
    ],
    ['text of its own', say('a'), [[dataChunk('note', 1), ...say('a')]]],
    ['where a custom chunk passed', [dataChunk('note', 1), ...say('a')], [say('a'), [dataChunk('note', 1)]]],
    [
      'buffered text of two parts that have the same id in sequence',
      [...say('a'), ...say('b')],
      [[textStart()], [delta('a'), textEnd(), textStart()], [delta('b'), textEnd()]],
    ],
    ['where a piece was empty', say('a', ''), [say('a')]],
    ['where a member is undefined', [makeSource({ url: 'https://example.org', title: undefined })], [[source]]],
  ])('%s', (_where, given, came) => {
    expect(holdText(given, ...came)).toBeUndefined();
  });
});

describe('the output differs from the input', () => {
  const signChunk = (text: string, note: string): Chunk =>
    makeChunk(RUN_ID, { type: 'text-delta', payload: { id: 't', text, providerMetadata: { note } } });
  test.each<[string, Chunk[], Chunk[][], string]>([
    ['where a word is another', say('a', 'b'), [say('a', 'c')], 'text-delta'],
    ['where a word is missing', say('a', 'b', 'c'), [say('a', 'c')], 'text-delta'],
    ['where the end of a text is missing', say('a', 'b'), [say('a')], 'text-end'],
    ['where a text that was cut off is missing', [delta('a')], [[]], 'text-delta'],
    ['where there is more', say('a'), [say('a', 'b')], 'text-delta'],
    ['where another chunk is another', [source], [[makeSource({ url: 'https://evil.example' })]], 'source'],
    ['where another chunk is missing', [source, ...say('a')], [say('a')], 'text-start'],
    ['where a custom chunk is another', [dataChunk('note', 1)], [[dataChunk('note', 2)]], 'data-note'],
    ['words next to a piece', say('a'), [[textStart(), signChunk('a', 'words'), textEnd()]], 'text-delta'],
  ])('%s', (_where, given, came, type) => {
    expect(holdText(given, ...came)).toBe(type);
  });
});

describe('named chunks', () => {
  test('in order equal the input', () => {
    const output = openComparison();
    const given = say('a', 'b');
    output.recordGiven(given);
    expect(output.compareNamed(0, given.slice(0, 2))).toBeUndefined();
    expect(output.compareNamed(2, given.slice(2))).toBeUndefined();
    expect(output.findMissing()).toBeUndefined();
  });

  test('with one left out differ', () => {
    const output = openComparison();
    const given = say('a', 'b');
    output.recordGiven(given);
    expect(output.compareNamed(0, given.slice(0, 1))).toBeUndefined();
    expect(output.compareNamed(2, given.slice(2, 3))).toBe('text-delta');
  });

  test('may follow chunks that were sent back, and be followed by them', () => {
    const output = openComparison();
    const given = say('a', 'b', 'c');
    output.recordGiven(given);
    expect(output.compare(given.slice(0, 2))).toBeUndefined();
    expect(output.compareNamed(2, given.slice(2, 3))).toBeUndefined();
    expect(output.compare(given.slice(3))).toBeUndefined();
    expect(output.findMissing()).toBeUndefined();
  });

  test('leave nothing out at the end', () => {
    const output = openComparison();
    output.recordGiven(say('a'));
    output.compareNamed(0, [textStart()]);
    expect(output.findMissing()).toBe('text-delta');
  });
});
