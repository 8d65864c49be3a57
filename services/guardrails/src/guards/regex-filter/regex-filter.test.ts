import { commonArgs, inputArgs, resultArgs, catchStop, toolResultArgs } from '@millrace/testkit';
import { readMessageText } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { assistant } from '../../testing/messages.ts';
import { deltaChunk, send, streamText } from '../../testing/stream-text.ts';
import { PRESET_NAMES, getPresetSource } from './presets.ts';
import { regexFilter } from './regex-filter.ts';

const judgeText = async (options: object, text: string) => {
  const args = inputArgs([text]);
  await regexFilter.create({ strategy: 'redact', ...options }).processInput?.(args);
  return args.messageList.get.input.db().map(readMessageText).join('');
};

describe('rules of the filter', () => {
  test('a match gets its own mark or the default one', async () => {
    const rules = [{ pattern: 'project-\\d+', mark: '[P]' }, { pattern: 'secret\\w*' }];
    expect(await judgeText({ rules, mark: '#' }, 'PROJECT-42 is a secretive one')).toBe('[P] is a # one');
  });
  test('a rule can be case-sensitive', async () => {
    const rules = [{ pattern: 'US', caseSensitive: true }];
    expect(await judgeText({ rules }, 'US, not us')).toBe('[REDACTED], not us');
  });
  test('callers do not learn the rules, and events contain their names', async () => {
    const args = inputArgs(['the bluebird plan']);
    const rules = [{ pattern: 'blue\\w+', name: 'codename' }];
    const stop = await catchStop(() => regexFilter.create({ rules }).processInput?.(args));
    expect(stop).toMatchObject({ type: 'abort', metadata: { rules: ['pattern'] } });
    expect(args.violations).toMatchObject([{ rule: 'pattern', detail: { hits: [{ pattern: 'codename' }] } }]);
    expect(JSON.stringify(stop)).not.toMatch(/codename|blue/);
  });
  test.each([
    {},
    { rules: [{ pattern: '(x' }] },
    { rules: [{ pattern: '^x' }] },
    { rules: [{ pattern: '(?=x)y' }] },
    { rules: [{ pattern: 'x*' }] },
    { rules: [{ pattern: 'x', flags: 'g' }] },
    { presets: ['everything'] },
    { rules: Array.from({ length: 5 }, (_, at) => ({ pattern: `(?:a|b|ab){240}${at}` })) },
  ])('the filter rejects %j', (options) => expect(regexFilter.options.safeParse(options).success).toBe(false));
});

describe('presets of the filter', () => {
  test.each([
    ['email', 'ada@example.com'],
    ['url', 'https://example.com/a?b=c'],
    ['ip-address', '192.168.0.1'],
    ['mac-address', '00:1A:2B:3C:4D:5E'],
    ['uuid', '123e4567-e89b-12d3-a456-426614174000'],
    ['us-ssn', '123-45-6789'],
    ['card-number', '4111 1111 1111 1111'],
    ['phone-number', '+49 (0)30 123456'],
    ['markdown-image', '![x](https://a.example/?q=1)'],
    ['markdown-link', '[x](https://a.example/)'],
    ['html-tag', '<img src="x">'],
    ['script', '<script src="x">'],
    ['data-uri', 'data:image/png;base64,iVBORw0KGgo='],
    ['long-base64', 'QWxs'.repeat(30)],
  ] as const)('%s finds %s', async (preset, found) => {
    expect(await judgeText({ presets: [preset] }, `see ${found} there`)).toBe('see [REDACTED] there');
  });
  test('all presets work together', () => {
    expect(PRESET_NAMES.map((name) => regexFilter.options.safeParse({ presets: [name] }).success)).not.toContain(false);
    expect(regexFilter.options.safeParse({ presets: [...PRESET_NAMES] }).success).toBe(true);
    expect(new Set(PRESET_NAMES.map(getPresetSource)).size).toBe(PRESET_NAMES.length);
  });
});

describe('phases of the filter', () => {
  const options = { presets: ['email'], strategy: 'redact' };
  const text = 'to ada@example.com';
  const runPhase = async (phase: string) => {
    const processor = regexFilter.create({ ...options, phase });
    const args = resultArgs([assistant('a1', text)], { input: [text] });
    await processor.processOutputResult?.(args);
    return {
      input: await judgeText({ ...options, phase }, text),
      tool: (await processor.processToolResult?.(toolResultArgs(text))) ?? { result: text },
      stream: (await streamText(processor, text, [3], 'text')).passed.join(''),
      answer: args.messageList.get.response.db().map(readMessageText).join(''),
      stored: args.messageList.get.input.db().map(readMessageText).join(''),
    };
  };
  const marked = 'to [REDACTED]';
  test.each([
    ['all', { input: marked, tool: { result: marked }, stream: marked, answer: marked, stored: marked }],
    ['input', { input: marked, tool: { result: marked }, stream: text, answer: text, stored: text }],
    ['output', { input: text, tool: { result: text }, stream: marked, answer: marked, stored: text }],
  ])('the filter applies the phase %s', async (phase, expected) => expect(await runPhase(phase)).toEqual(expected));
});

test('the filter stops the stream before a match is complete', async () => {
  const processor = regexFilter.create({ rules: [{ pattern: 'blue\\s*bird' }] });
  const args = commonArgs();
  const seen: string[] = [];
  const stop = await catchStop(async () => {
    for (const delta of ['It is the blue', ' bird', '.', 'x'.repeat(600)])
      seen.push(JSON.stringify(await send(processor, deltaChunk('text', delta), args)));
  });
  expect(stop).toMatchObject({ type: 'abort' });
  expect(seen.join('')).not.toContain('blue');
});
