import { commonArgs, inputArgs, stepArgs, stopOf } from '@millrace/testkit';
import { textMessage } from '@millrace/contracts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assistant, inParts, stepStartChunk, withTool } from '../testing/messages.ts';
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
  test('at the limit passes, over all messages and parts', async () => {
    const args = inputArgs(['ab', inParts('p', 'c', '😀'), assistant('a', 'd')]);
    await guard.processInput?.(args);
    expect(args.violations).toEqual([]);
  });
  test.each([assistant('a', 'abcd'), withTool('t', { a: 'ab' }, ['cd']), textMessage('s', 'system', 'abcd')])(
    'what the caller sends counts whatever its role: $role',
    async (message) => {
      expect(await stopOf(() => guard.processInput?.(inputArgs(['xy', message])))).toMatchObject({ kind: 'abort' });
    },
  );
  test('one more stops the run', async () => {
    const args = inputArgs(['abc', 'def']);
    expect(await stopOf(() => guard.processInput?.(args))).toEqual({
      kind: 'abort',
      reason: 'The input is longer than 5 characters.',
      options: { metadata: { rules: ['input-too-long'] } },
    });
    expect(args.violations).toMatchObject([
      { rule: 'input-too-long', detail: { length: 6, max: 5, unit: 'codePoints' } },
    ]);
  });
  test('with a response it halts', async () => {
    const halting = contentLength.create({ maxInput: 1, response: 'Shorter, please.' });
    expect(await stopOf(() => halting.processInput?.(inputArgs(['abc'])))).toMatchObject({
      kind: 'halt',
      response: 'Shorter, please.',
    });
  });
  test('without a limit everything passes', async () => {
    expect(await contentLength.create({}).processInput?.(inputArgs(['a'.repeat(100_000)]))).toBeUndefined();
  });
});

describe('the stream', () => {
  test('at the limit passes', async () => {
    expect((await streamText(contentLength.create({ maxOutput: 6 }), 'ab😀def', [1], 'text')).passed.join('')).toBe(
      'ab😀def',
    );
  });
  test('the client never sees more than the limit', async () => {
    const args = commonArgs();
    const guard = contentLength.create({ maxOutput: 5 });
    const seen: string[] = [];
    await stopOf(async () => {
      for (const text of ['abc', 'd', 'efg', 'h']) {
        await send(guard, deltaChunk('text', text), args);
        seen.push(text);
      }
    });
    expect(seen.join('')).toBe('abcd');
  });
  test('a long delta counts as it would in small ones, and stops as a whole', async () => {
    const text = `${family}e\u0301`.repeat(3_000);
    const guard = (maxOutput: number) => contentLength.create({ maxOutput, unit: 'graphemes' });
    expect((await streamText(guard(6_000), text, [text.length], 'text')).passed).toEqual([text]);
    expect(await stopOf(() => streamText(guard(5_999), text, [text.length], 'text'))).toMatchObject({ kind: 'abort' });
  });
  test('each step has the whole limit, and so has one that starts over', async () => {
    const guard = contentLength.create({ maxOutput: 3 });
    const args = commonArgs();
    const text = () => send(guard, deltaChunk('text', 'abc'), args);
    expect(await text()).toHaveLength(1);
    await send(guard, stepStartChunk, args);
    expect(await text()).toHaveLength(1);
    args.stepNumber = 1;
    expect(await text()).toHaveLength(1);
    expect(await stopOf(text)).toMatchObject({ kind: 'abort' });
  });
  test('reasoning and tool arguments are not the answer', async () => {
    expect((await streamText(contentLength.create({ maxOutput: 1 }), 'long', [2], 'reasoning')).passed.join('')).toBe(
      'long',
    );
    expect((await streamText(contentLength.create({ maxOutput: 1 }), 'long', [2], 'tool')).passed.join('')).toBe(
      'long',
    );
  });
});

describe('the answer of a step', () => {
  const guard = contentLength.create({ maxOutput: 3, unit: 'graphemes' });
  test('at the limit passes', async () =>
    expect(await guard.processOutputStep?.(stepArgs(`ab${family}`))).toBeUndefined());
  test('one more stops the run', async () =>
    expect(await stopOf(() => guard.processOutputStep?.(stepArgs('abcd')))).toMatchObject({ kind: 'abort' }));
});

test.each([{ maxInput: -1 }, { maxInput: 1.5 }, { unit: 'bytes' }, { strategy: 'truncate' }])(
  'options %j are refused',
  (options) => expect(contentLength.options.safeParse(options).success).toBe(false),
);
