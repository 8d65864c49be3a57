import { buildTextMessage, type Message } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { mapStrings, mapTexts } from '@millrace/processor';
import { joinMessageTexts, mapMessage } from './message-values.ts';

const upper = (message: Message) => mapMessage(message, (value) => mapStrings(value, (text) => text.toUpperCase()));
const buildMessage = (parts: object[], content: object = {}, members: object = {}): Message =>
  JSON.parse(
    JSON.stringify({
      ...buildTextMessage('m1', 'user', ''),
      createdAt: '2026-11-21T00:00:00Z',
      ...members,
      content: { format: 2, parts, ...content },
    }),
  );

test.each<[what: string, part: object, expected: object]>([
  ['a text', { type: 'text', text: 'a', note: 'a' }, { type: 'text', text: 'A', note: 'A' }],
  [
    'a part with a label',
    { type: 'text', text: 'a', label: { origin: 'tool:a', trust: 'trusted' } },
    { type: 'text', text: 'A', label: { origin: 'tool:a', trust: 'trusted' } },
  ],
  [
    'a part with words as its label',
    { type: 'text', text: 'a', label: { origin: 'call me', trust: 'trusted' } },
    { type: 'text', text: 'A', label: { origin: 'CALL ME', trust: 'TRUSTED' } },
  ],
  ['reasoning', { type: 'reasoning', reasoning: 'a' }, { type: 'reasoning', reasoning: 'A' }],
  [
    'a tool call and its result',
    {
      type: 'tool-invocation',
      toolInvocation: { state: 'result', toolCallId: 'c', toolName: 'n', args: ['a'], result: 'a' },
    },
    {
      type: 'tool-invocation',
      toolInvocation: { state: 'result', toolCallId: 'c', toolName: 'N', args: ['A'], result: 'A' },
    },
  ],
  [
    'a tool call with words as its id',
    {
      type: 'tool-invocation',
      toolInvocation: { state: 'call', toolCallId: 'c d', toolName: 'n', args: {} },
    },
    {
      type: 'tool-invocation',
      toolInvocation: { state: 'call', toolCallId: 'C D', toolName: 'N', args: {} },
    },
  ],
  [
    'a tool call with an invisible character in its id',
    { type: 'tool-invocation', toolInvocation: { state: 'call', toolCallId: 'c\u2800d', toolName: 'n', args: {} } },
    { type: 'tool-invocation', toolInvocation: { state: 'call', toolCallId: 'C\u2800D', toolName: 'N', args: {} } },
  ],
  [
    'a source with words as its id',
    { type: 'source', source: { id: 'c d', sourceType: 'url', title: 'a' } },
    { type: 'source', source: { id: 'C D', sourceType: 'url', title: 'A' } },
  ],
  [
    'the text of a text file',
    { type: 'file', data: 'w6QgYg==', mimeType: 'text/csv' },
    { type: 'file', data: 'w4QgQg==', mimeType: 'text/csv' },
  ],
  [
    'a URL in place of the bytes of a file',
    { type: 'file', data: 'https://x/a', mimeType: 'image/png' },
    { type: 'file', data: 'HTTPS://X/A', mimeType: 'image/png' },
  ],
  [
    'a file with words as its media type',
    { type: 'file', data: 'ab', mimeType: 'my words' },
    { type: 'file', data: 'ab', mimeType: 'MY WORDS' },
  ],
  [
    'a source',
    { type: 'source', source: { id: 's', sourceType: 'url', url: 'a', title: 'a', more: 'a' } },
    { type: 'source', source: { id: 'S', sourceType: 'url', url: 'A', title: 'A', more: 'A' } },
  ],
  [
    'the name of a file',
    { type: 'file', data: 'ab', mimeType: 'image/png', filename: 'a' },
    { type: 'file', data: 'ab', mimeType: 'image/png', filename: 'A' },
  ],
  ['a part of an unknown type', { type: 'data-card', data: { n: 'a' } }, { type: 'DATA-CARD', data: { n: 'A' } }],
  [
    'a media type that is not known',
    { type: 'file', data: 'ab', mimeType: 'image/a' },
    { type: 'file', data: 'ab', mimeType: 'IMAGE/A' },
  ],
  [
    'a media type with a parameter',
    { type: 'file', data: 'ab', mimeType: 'image/png;a=b' },
    { type: 'file', data: 'ab', mimeType: 'IMAGE/PNG;A=B' },
  ],
  [
    'a source with another type',
    { type: 'source', source: { sourceType: 'a' } },
    { type: 'source', source: { sourceType: 'A' } },
  ],
])('mapMessage maps %s', (_, part, expected) => {
  expect(upper(buildMessage([part])).content.parts).toEqual([expected]);
});

test('mapMessage maps flat content, metadata and unknown members', () => {
  const message = buildMessage(
    [],
    { content: 'a', metadata: { k: 'a' }, old: ['a'] },
    { more: 'a', threadId: 't', resourceId: 'r' },
  );
  expect(upper(message)).toEqual(
    buildMessage([], { content: 'A', metadata: { k: 'A' }, old: ['A'] }, { more: 'A', threadId: 't', resourceId: 'r' }),
  );
});

describe('a member name that is not known', () => {
  const rename = (message: Message) =>
    mapMessage(message, (value) => mapTexts(value, (text) => text.replace('bad', '')));
  const member = { badnote: 1 };

  test.each<[place: string, given: Message, expected: Message]>([
    ['a message', buildMessage([], {}, member), buildMessage([], {}, { note: 1 })],
    ['the content', buildMessage([], member), buildMessage([], { note: 1 })],
    ['a part', buildMessage([{ type: 'step-start', ...member }]), buildMessage([{ type: 'step-start', note: 1 }])],
    [
      'a call',
      buildMessage([{ type: 'tool-invocation', toolInvocation: { state: 'call', toolCallId: 'c', ...member } }]),
      buildMessage([{ type: 'tool-invocation', toolInvocation: { state: 'call', toolCallId: 'c', note: 1 } }]),
    ],
  ])('is mapped in %s', (_, given, expected) => expect(rename(given)).toEqual(expected));

  test('never takes the place of a known or of another member', () => {
    const part = { type: 'reasoning', badreasoning: 'x', badtext: 'y', badnote: 1, note: 2 };
    const [renamed] = rename(buildMessage([{ ...part, reasoning: 'own' }])).content.parts;
    expect(renamed).toEqual({
      type: 'reasoning',
      reasoning: 'own',
      'reasoning ii': 'x',
      'text ii': 'y',
      'note ii': 1,
      note: 2,
    });
  });

  test('and a type of a part that is not known never become a known type', () => {
    expect(rename(buildMessage([{ type: 'tebadxt' }])).content.parts).toEqual([{ type: 'data-text' }]);
  });
});

test('mapMessage returns the same object if nothing changes', () => {
  const message = buildMessage([{ type: 'text', text: 'A' }], { content: 'A' });
  expect(upper(message)).toBe(message);
});

test('words in place of the date are judged, and a date is not', () => {
  expect(upper(buildMessage([], {}, { createdAt: 'words' })).createdAt).toBe('WORDS');
  expect(upper(buildMessage([])).createdAt).toBe('2026-11-21T00:00:00Z');
});

test('joinMessageTexts joins hundreds of thousands of texts of one value', () => {
  const result = Array.from({ length: 300_000 }, () => 'x');
  const toolInvocation = { state: 'result' as const, toolCallId: 'c1', toolName: 'notes', args: {}, result };
  const joined = joinMessageTexts(buildMessage([{ type: 'tool-invocation', toolInvocation }]));
  expect(joined).toHaveLength('notes'.length + 600_000);
});
