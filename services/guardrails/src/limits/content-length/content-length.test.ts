import { commonArgs, inputArgs, stepArgs, catchStop } from '@millrace/testkit';
import { buildTextMessage } from '@millrace/contracts';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assistant, messageInParts, stepStartChunk, messageWithTool } from '../../testing/messages.ts';
import { deltaChunk, send, streamText } from '../../testing/stream-text.ts';
import { contentLength } from './content-length.ts';
import { UNITS, countMore, countLength, nothingCounted } from '../../text/length-counter.ts';

const family = '👨‍👩‍👧‍👦';

test.each([
  ['codePoints', 'añ😀', 3],
  ['codePoints', family, 7],
  ['graphemes', `${family}e\u0301`, 2],
  ['graphemes', '🇩🇪🇫🇷', 2],
  ['codePoints', '', 0],
  ['codePoints', '\ud83d', 1],
] as const)('%s of %j count as %d', (unit, text, length) => expect(countLength(text, unit)).toBe(length));

test.each(UNITS)('the count of %s does not depend on the chunks', (unit) => {
  const pieces = fc.constantFrom('a', '😀', family, 'e\u0301', '🇩🇪', '\r\n', '\u200d', 'क्षि', '\ud83d', '각');
  fc.assert(
    fc.property(fc.array(pieces), fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }), (parts, sizes) => {
      const text = parts.join('');
      let counted = nothingCounted;
      for (let at = 0, n = 0; at < text.length; at += sizes[n++ % sizes.length] ?? 1) {
        counted = countMore(counted, text.slice(at, at + (sizes[n % sizes.length] ?? 1)), unit);
      }
      expect(counted.count).toBe(countLength(text, unit));
    }),
    { seed: 11, numRuns: 500 },
  );
});

describe('limits of the input', () => {
  const guard = contentLength.create({ maxInput: 5 });
  test('the guard passes input at the limit, summed over all messages and parts', async () => {
    const args = inputArgs(['ab', messageInParts('p', 'c', '😀'), assistant('a', 'd')]);
    await guard.processInput?.(args);
    expect(args.violations).toEqual([]);
  });
  test.each([
    assistant('a', 'abcd'),
    messageWithTool('t', { a: 'ab' }, ['cd']),
    buildTextMessage('s', 'system', 'abcd'),
  ])('the guard counts input messages of the role $role', async (message) => {
    expect(await catchStop(() => guard.processInput?.(inputArgs(['xy', message])))).toMatchObject({ type: 'abort' });
  });
  test('the guard stops a run if its input is one character too long', async () => {
    const args = inputArgs(['abc', 'def']);
    expect(await catchStop(() => guard.processInput?.(args))).toEqual({
      type: 'abort',
      reason: 'The input is longer than 5 characters.',
      metadata: { rules: ['input-too-long'] },
    });
    expect(args.violations).toMatchObject([
      { rule: 'input-too-long', detail: { length: 6, max: 5, unit: 'codePoints' } },
    ]);
  });
  test('the guard halts with the response if one is set', async () => {
    const halting = contentLength.create({ maxInput: 1, response: 'Shorter, please.' });
    expect(await catchStop(() => halting.processInput?.(inputArgs(['abc'])))).toMatchObject({
      type: 'halt',
      response: 'Shorter, please.',
    });
  });
  test('the guard passes every input without a limit', async () => {
    expect(await contentLength.create({}).processInput?.(inputArgs(['a'.repeat(100_000)]))).toBeUndefined();
  });
});

describe('limits of the stream', () => {
  test('the guard passes a stream at the limit', async () => {
    expect((await streamText(contentLength.create({ maxOutput: 6 }), 'ab😀def', [1], 'text')).passed.join('')).toBe(
      'ab😀def',
    );
  });
  test('the client never receives more than the limit', async () => {
    const args = commonArgs();
    const guard = contentLength.create({ maxOutput: 5 });
    const seen: string[] = [];
    await catchStop(async () => {
      for (const text of ['abc', 'd', 'efg', 'h']) {
        await send(guard, deltaChunk('text', text), args);
        seen.push(text);
      }
    });
    expect(seen.join('')).toBe('abcd');
  });
  test('the guard counts a long delta like small ones and stops it as a whole', async () => {
    const text = `${family}e\u0301`.repeat(3_000);
    const guard = (maxOutput: number) => contentLength.create({ maxOutput, unit: 'graphemes' });
    expect((await streamText(guard(6_000), text, [text.length], 'text')).passed).toEqual([text]);
    expect(await catchStop(() => streamText(guard(5_999), text, [text.length], 'text'))).toMatchObject({
      type: 'abort',
    });
  });
  test('each step, and each restarted step, has the whole limit', async () => {
    const guard = contentLength.create({ maxOutput: 3 });
    const args = commonArgs();
    const text = () => send(guard, deltaChunk('text', 'abc'), args);
    expect(await text()).toHaveLength(1);
    await send(guard, stepStartChunk, args);
    expect(await text()).toHaveLength(1);
    args.stepNumber = 1;
    expect(await text()).toHaveLength(1);
    expect(await catchStop(text)).toMatchObject({ type: 'abort' });
  });
  test('the guard does not count reasoning and tool arguments', async () => {
    expect((await streamText(contentLength.create({ maxOutput: 1 }), 'long', [2], 'reasoning')).passed.join('')).toBe(
      'long',
    );
    expect((await streamText(contentLength.create({ maxOutput: 1 }), 'long', [2], 'tool')).passed.join('')).toBe(
      'long',
    );
  });
});

describe("limits of a step's answer", () => {
  const guard = contentLength.create({ maxOutput: 3, unit: 'graphemes' });
  test('the guard passes an answer at the limit', async () =>
    expect(await guard.processOutputStep?.(stepArgs(`ab${family}`))).toBeUndefined());
  test('the guard stops the run if the answer is one character too long', async () =>
    expect(await catchStop(() => guard.processOutputStep?.(stepArgs('abcd')))).toMatchObject({ type: 'abort' }));
});

test.each([{ maxInput: -1 }, { maxInput: 1.5 }, { unit: 'bytes' }, { strategy: 'truncate' }])(
  'the guard rejects the options %j',
  (options) => expect(contentLength.options.safeParse(options).success).toBe(false),
);
