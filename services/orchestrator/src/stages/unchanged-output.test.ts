import type { Chunk } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { dataChunk, delta, say, textEnd, textStart } from '../testing/chunks.ts';
import { RUN_ID } from '../testing/run-states.ts';
import { chunk } from '../state/make-chunk.ts';
import { createUnchangedOutput } from './unchanged-output.ts';

const sourceOf = (payload: object) => chunk(RUN_ID, { type: 'source', payload: { id: 's', ...payload } });
const source = sourceOf({ url: 'https://example.org' });
/** What is wrong with what came, or is missing at the end. */
const held = (given: Chunk[], ...came: Chunk[][]) => {
  const output = createUnchangedOutput();
  output.given(given);
  return came.map((chunks) => output.came(chunks)).find((changed) => changed !== undefined) ?? output.missing();
};

describe('what came out is what went in', () => {
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
      'where another chunk came before text that was held',
      [...say('a').slice(0, 2), source, textEnd()],
      [
        [textStart(), source],
        [delta('a'), textEnd()],
      ],
    ],
    ['where it has said something of its own', say('a'), [[dataChunk('note', 1), ...say('a')]]],
    ['where a custom chunk passed', [dataChunk('note', 1), ...say('a')], [say('a'), [dataChunk('note', 1)]]],
    ['where a piece was empty', say('a', ''), [say('a')]],
    ['where a member is undefined', [sourceOf({ url: 'https://example.org', title: undefined })], [[source]]],
  ])('%s', (_where, given, came) => {
    expect(held(given, ...came)).toBeUndefined();
  });
});

describe('what came out is not what went in', () => {
  const signed = (text: string, note: string): Chunk =>
    chunk(RUN_ID, { type: 'text-delta', payload: { id: 't', text, providerMetadata: { note } } });
  test.each<[string, Chunk[], Chunk[][], string]>([
    ['where a word is another', say('a', 'b'), [say('a', 'c')], 'text-delta'],
    ['where a word is missing', say('a', 'b', 'c'), [say('a', 'c')], 'text-delta'],
    ['where the end of a text is missing', say('a', 'b'), [say('a')], 'text-end'],
    ['where a text that was cut off is missing', [delta('a')], [[]], 'text-delta'],
    ['where there is more', say('a'), [say('a', 'b')], 'text-delta'],
    ['where another chunk is another', [source], [[sourceOf({ url: 'https://evil.example' })]], 'source'],
    ['where another chunk is missing', [source, ...say('a')], [say('a')], 'text-start'],
    ['where a custom chunk is another', [dataChunk('note', 1)], [[dataChunk('note', 2)]], 'data-note'],
    ['where words stand beside a piece', say('a'), [[textStart(), signed('a', 'words'), textEnd()]], 'text-delta'],
  ])('%s', (_where, given, came, type) => {
    expect(held(given, ...came)).toBe(type);
  });
});

describe('chunks that are named', () => {
  test('in order are what went in', () => {
    const output = createUnchangedOutput();
    const given = say('a', 'b');
    output.given(given);
    expect(output.named(0, given.slice(0, 2))).toBeUndefined();
    expect(output.named(2, given.slice(2))).toBeUndefined();
    expect(output.missing()).toBeUndefined();
  });

  test('with one left out are not', () => {
    const output = createUnchangedOutput();
    const given = say('a', 'b');
    output.given(given);
    expect(output.named(0, given.slice(0, 1))).toBeUndefined();
    expect(output.named(2, given.slice(2, 3))).toBe('text-delta');
  });

  test('may follow on what was sent back, and be followed by it', () => {
    const output = createUnchangedOutput();
    const given = say('a', 'b', 'c');
    output.given(given);
    expect(output.came(given.slice(0, 2))).toBeUndefined();
    expect(output.named(2, given.slice(2, 3))).toBeUndefined();
    expect(output.came(given.slice(3))).toBeUndefined();
    expect(output.missing()).toBeUndefined();
  });

  test('leave nothing out at the end', () => {
    const output = createUnchangedOutput();
    output.given(say('a'));
    output.named(0, [textStart()]);
    expect(output.missing()).toBe('text-delta');
  });
});
