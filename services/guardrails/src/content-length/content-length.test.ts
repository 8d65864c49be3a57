import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assistant, inParts, stepStartChunk } from '../testing/messages.ts';
import { commonArgs, inputArgs, stepArgs, stopOf } from '../testing/stage-args.ts';
import { deltaChunk, send, streamText } from '../testing/stream-text.ts';
import { contentLength } from './content-length.ts';
import { UNITS, countMore, lengthOf, nothingCounted } from './length-counter.ts';

const family = '👨‍👩‍👧‍👦';

test.each([
  ['codePoints', 'añ😀', 3],
  ['codePoints', family, 7],
  ['graphemes', `${family}e\u0301`, 2],
  ['graphemes', '🇩🇪🇫🇷', 2],
  ['codePoints', '', 0],
  ['codePoints', '\ud83d', 1],
] as const)('%s of %j are %d', (unit, text, length) => expect(lengthOf(text, unit)).toBe(length));

test.each(UNITS)('%s are the same however the text is cut', (unit) => {
  const pieces = fc.constantFrom('a', '😀', family, 'e\u0301', '🇩🇪', '\r\n', '\u200d', 'क्षि', '\ud83d', '각');
  fc.assert(
    fc.property(fc.array(pieces), fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }), (parts, sizes) => {
      const text = parts.join('');
      let counted = nothingCounted;
      for (let at = 0, n = 0; at < text.length; at += sizes[n++ % sizes.length] ?? 1) {
        counted = countMore(counted, text.slice(at, at + (sizes[n % sizes.length] ?? 1)), unit);
      }
      expect(counted.count).toBe(lengthOf(text, unit));
    }),
    { seed: 11, numRuns: 500 },
  );
});

describe('input', () => {
  const guard = contentLength.create({ maxInput: 5 });
  test('at the limit passes, over all user messages and parts', () => {
    const args = inputArgs(['ab', inParts('p', 'c', '😀d'), assistant('a', 'not counted')]);
    void guard.processInput?.(args);
    expect(args.violations).toEqual([]);
  });
  test('one more stops the run', () => {
    const args = inputArgs(['abc', 'def']);
    expect(stopOf(() => guard.processInput?.(args))).toEqual({
      kind: 'abort',
      reason: 'The input is longer than 5 characters.',
      options: { metadata: { what: 'input', length: 6, max: 5, unit: 'codePoints' } },
    });
    expect(args.violations).toHaveLength(1);
  });
  test('with a response it halts', () => {
    const halting = contentLength.create({ maxInput: 1, response: 'Shorter, please.' });
    expect(stopOf(() => halting.processInput?.(inputArgs(['abc'])))).toMatchObject({
      kind: 'halt',
      response: 'Shorter, please.',
    });
  });
  test('without a limit everything passes', () => {
    expect(contentLength.create({}).processInput?.(inputArgs(['a'.repeat(100_000)]))).toBeUndefined();
  });
});

describe('the stream', () => {
  test('at the limit passes', () => {
    expect(streamText(contentLength.create({ maxOutput: 6 }), 'ab😀def', [1], 'text').passed.join('')).toBe('ab😀def');
  });
  test('the client never sees more than the limit', () => {
    const args = commonArgs();
    const guard = contentLength.create({ maxOutput: 5 });
    const seen: string[] = [];
    stopOf(() => {
      for (const text of ['abc', 'd', 'efg', 'h'])
        seen.push(...send(guard, deltaChunk('text', text), args).map(() => text));
    });
    expect(seen.join('')).toBe('abcd');
  });
  test('each step has the whole limit, and so has one that starts over', () => {
    const guard = contentLength.create({ maxOutput: 3 });
    const args = commonArgs();
    const text = () => send(guard, deltaChunk('text', 'abc'), args);
    expect(text()).toHaveLength(1);
    send(guard, stepStartChunk, args);
    expect(text()).toHaveLength(1);
    args.stepNumber = 1;
    expect(text()).toHaveLength(1);
    expect(stopOf(text)).toMatchObject({ kind: 'abort' });
  });
  test('reasoning and tool arguments are not the answer', () => {
    expect(streamText(contentLength.create({ maxOutput: 1 }), 'long', [2], 'reasoning').passed.join('')).toBe('long');
    expect(streamText(contentLength.create({ maxOutput: 1 }), 'long', [2], 'tool').passed.join('')).toBe('long');
  });
});

describe('the answer of a step', () => {
  const guard = contentLength.create({ maxOutput: 3, unit: 'graphemes' });
  test('at the limit passes', () => expect(guard.processOutputStep?.(stepArgs(`ab${family}`))).toBeUndefined());
  test('one more stops the run', () =>
    expect(stopOf(() => guard.processOutputStep?.(stepArgs('abcd')))).toMatchObject({ kind: 'abort' }));
});

test.each([{ maxInput: -1 }, { maxInput: 1.5 }, { unit: 'bytes' }, { strategy: 'truncate' }])(
  'options %j are refused',
  (options) => expect(contentLength.options.safeParse(options).success).toBe(false),
);
