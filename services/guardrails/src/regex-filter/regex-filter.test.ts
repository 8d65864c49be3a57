import { commonArgs, inputArgs, resultArgs, stopOf, toolResultArgs } from '@millrace/testkit';
import { messageText } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { assistant } from '../testing/messages.ts';
import { deltaChunk, send, streamText } from '../testing/stream-text.ts';
import { PRESET_NAMES, sourceOf } from './presets.ts';
import { regexFilter } from './regex-filter.ts';

const judged = async (options: object, text: string) => {
  const args = inputArgs([text]);
  await regexFilter.create({ strategy: 'redact', ...options }).processInput?.(args);
  return args.messageList.get.input.db().map(messageText).join('');
};

describe('rules', () => {
  test('mark what they find, each with its own mark or the common one', async () => {
    const rules = [{ pattern: 'project-\\d+', mark: '[P]' }, { pattern: 'secret\\w*' }];
    expect(await judged({ rules, mark: '#' }, 'PROJECT-42 is a secretive one')).toBe('[P] is a # one');
  });
  test('may tell upper from lower case', async () => {
    const rules = [{ pattern: 'US', caseSensitive: true }];
    expect(await judged({ rules }, 'US, not us')).toBe('[REDACTED], not us');
  });
  test('are not told to callers: a name is for the events', async () => {
    const args = inputArgs(['the bluebird plan']);
    const rules = [{ pattern: 'blue\\w+', name: 'codename' }];
    const stop = await stopOf(() => regexFilter.create({ rules }).processInput?.(args));
    expect(stop).toMatchObject({ kind: 'abort', options: { metadata: { rules: ['pattern'] } } });
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
  ])('%j are refused', (options) => expect(regexFilter.options.safeParse(options).success).toBe(false));
});

describe('presets', () => {
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
    expect(await judged({ presets: [preset] }, `see ${found} there`)).toBe('see [REDACTED] there');
  });
  test('may all be asked for at once', () => {
    expect(PRESET_NAMES.map((name) => regexFilter.options.safeParse({ presets: [name] }).success)).not.toContain(false);
    expect(regexFilter.options.safeParse({ presets: [...PRESET_NAMES] }).success).toBe(true);
    expect(new Set(PRESET_NAMES.map(sourceOf)).size).toBe(PRESET_NAMES.length);
  });
});

describe('phase', () => {
  const options = { presets: ['email'], strategy: 'redact' };
  const text = 'to ada@example.com';
  const through = async (phase: string) => {
    const processor = regexFilter.create({ ...options, phase });
    const args = resultArgs([assistant('a1', text)], { input: [text] });
    await processor.processOutputResult?.(args);
    return {
      input: await judged({ ...options, phase }, text),
      tool: (await processor.processToolResult?.(toolResultArgs(text))) ?? { result: text },
      stream: (await streamText(processor, text, [3], 'text')).passed.join(''),
      answer: args.messageList.get.response.db().map(messageText).join(''),
      stored: args.messageList.get.input.db().map(messageText).join(''),
    };
  };
  const marked = 'to [REDACTED]';
  test.each([
    ['all', { input: marked, tool: { result: marked }, stream: marked, answer: marked, stored: marked }],
    ['input', { input: marked, tool: { result: marked }, stream: text, answer: text, stored: text }],
    ['output', { input: text, tool: { result: text }, stream: marked, answer: marked, stored: text }],
  ])('%s', async (phase, expected) => expect(await through(phase)).toEqual(expected));
});

test('the stream is stopped before a match is through', async () => {
  const processor = regexFilter.create({ rules: [{ pattern: 'blue\\s*bird' }] });
  const args = commonArgs();
  const seen: string[] = [];
  const stop = await stopOf(async () => {
    for (const delta of ['It is the blue', ' bird', '.', 'x'.repeat(600)])
      seen.push(JSON.stringify(await send(processor, deltaChunk('text', delta), args)));
  });
  expect(stop).toMatchObject({ kind: 'abort' });
  expect(seen.join('')).not.toContain('blue');
});
