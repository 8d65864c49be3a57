// Tests every guard that redacts a stream with a value in every possible place: as a value, as a name, deep in JSON,
// and in a chunk of an unknown type.
import type { Chunk, JsonObject, JsonValue } from '@millrace/contracts';
import { commonArgs } from '@millrace/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { createProcessors } from '../processors.ts';
import { FIXED_MODELS } from '../testing/judging-provider.ts';
import { deltaChunk, endChunk, send } from '../testing/stream-text.ts';
import { withSystem } from '../testing/messages.ts';
import { closeThreads } from '../work/task.ts';

afterAll(closeThreads);

const PROMPT = 'Never tell anybody the opening code of the archive, and offer at most three rare maps.';
const guards: [string, JsonObject, string][] = [
  ['pii', {}, 'ada@example.com'],
  ['secrets', {}, ['gh', 'p_Q7xLmZ2pR9vTk4WsY1nB8cHd6FgJ3eUaQ7xL'].join('')],
  ['keyword', { keywords: ['nightingale'], strategy: 'redact' }, 'nightingale'],
  ['regex-filter', { rules: [{ pattern: 'blue bird' }], strategy: 'redact' }, 'blue bird'],
  ['system-prompt-scrubber', {}, PROMPT],
  ['moderation', { mode: 'words', words: ['vile'], strategy: 'filter' }, 'vile'],
];

const deep = (value: JsonValue): JsonValue =>
  Array.from({ length: 20 }).reduce<JsonValue>((inner) => ({ a: [inner] }), value);
const places: [string, (value: string) => [string, JsonValue]][] = [
  ['a value of arguments', (value) => ['tool-call', { toolCallId: 'c', toolName: 't', args: { a: value } }]],
  ['a name of arguments', (value) => ['tool-call', { toolCallId: 'c', toolName: 't', args: { [value]: 1 } }]],
  ['a value deep in a result', (value) => ['tool-result', { toolCallId: 'c', toolName: 't', result: deep(value) }]],
  [
    'a name deep in a result',
    (value) => ['tool-result', { toolCallId: 'c', toolName: 't', result: deep({ [value]: 1 }) }],
  ],
  [
    'a value behind a long one',
    (value) => ['tool-result', { toolCallId: 'c', toolName: 't', result: `${'so on '.repeat(9_000)}${value}` }],
  ],
  ['the title of a call', (value) => ['tool-call', { toolCallId: 'c', toolName: 't', title: value }]],
  ['the error of a tool', (value) => ['tool-error', { toolCallId: 'c', toolName: 't', error: { message: value } }]],
  ['the title of a source', (value) => ['source', { id: 's', sourceType: 'url', title: value }]],
  [
    'the address of a source',
    (value) => ['source', { id: 's', sourceType: 'url', title: '', url: `https://a.example/?q=${value}` }],
  ],
  ['the name of a file', (value) => ['file', { data: 'eA==', mimeType: 'text/plain', filename: value }]],
  ['a file that is a URL', (value) => ['file', { data: `data:text/plain,${value}`, mimeType: 'text/plain' }]],
  ['metadata of the provider', (value) => ['text-start', { id: 'p', providerMetadata: { openai: { note: value } } }]],
  ['a citation', (value) => ['text-end', { id: 'p', citations: [{ citedText: value }] }]],
  ['a warning', (value) => ['step-start', { warnings: [{ message: value }] }]],
  ['an error', (value) => ['error', { error: { message: value, data: { [value]: value } } }]],
  ['a payload of an unknown type', (value) => ['brand-new', value]],
  ['a list of an unknown type', (value) => ['brand-new', [value]]],
  ['a name in an unknown type', (value) => ['brand-new', { a: { [value]: 1 } }]],
  ['a name of an unknown type', (value) => ['brand-new', { [value]: true }]],
  ['a name of a known type', (value) => ['text-start', { id: 'p', [value]: null }]],
  [
    'a name of an end',
    (value) => ['step-finish', { stepResult: { reason: 'stop' }, output: { [value]: { [value]: 1 } } }],
  ],
  ['a name of metadata', (value) => ['text-start', { id: 'p', providerMetadata: { [value]: { itemId: 'i' } } }]],
  ['an id that is an object', (value) => ['brand-new', { id: { a: value }, kind: [value] }]],
  ['an id with white space', (value) => ['text-start', { id: `an ${value}` }]],
];

const oddIds: [string, (id: string) => Chunk[]][] = (['text', 'reasoning', 'tool'] as const).flatMap((kind) => [
  [`ids of a ${kind}`, (id: string) => [deltaChunk(kind, 'It is noon.', id), endChunk(kind, id)]],
  [
    `the metadata of a ${kind}`,
    (id: string) => [withMetadata(deltaChunk(kind, 'It is noon.'), { openai: { itemId: id } }), endChunk(kind)],
  ],
  [
    `the provider of a ${kind}`,
    (id: string) => [withMetadata(deltaChunk(kind, 'It is noon.'), { [id]: { itemId: 'i' } }), endChunk(kind)],
  ],
]);
const readPiece = (chunk: Chunk): string => {
  if (chunk.type === 'tool-call-delta') return chunk.payload.argsTextDelta;
  return chunk.type === 'text-delta' || chunk.type === 'reasoning-delta' ? chunk.payload.text : '';
};
const makeNamedCall = (toolName: string): Chunk[] => [
  {
    type: 'tool-call-delta',
    runId: 'r1',
    from: 'AGENT',
    payload: { toolCallId: 'c', toolName, argsTextDelta: 'It is noon.' },
  },
  endChunk('tool', 'c'),
];
const withMetadata = (chunk: Chunk, providerMetadata: object): Chunk =>
  JSON.parse(
    JSON.stringify({ ...chunk, payload: { ...('payload' in chunk ? Object(chunk.payload) : {}), providerMetadata } }),
  );

describe.each(guards)('the guard %s', (id, options, value) => {
  test.each(places)('the guard redacts %s', async (_, makeChunk) => {
    const definition = createProcessors(FIXED_MODELS).find((one) => one.id === id);
    const processor = withSystem(definition?.create(definition.options.parse(options)) ?? { id }, PROMPT);
    const [type, payload] = makeChunk(value);
    const chunk: Chunk = JSON.parse(JSON.stringify({ type, runId: 'r1', from: 'AGENT', payload }));
    const passed = await send(processor, chunk, commonArgs({}));
    expect(JSON.stringify(passed)).toContain('"type"');
    expect(JSON.stringify(passed)).not.toContain(value);
  });

  test.each([...oddIds, ['the name of a tool', makeNamedCall] as const])(
    'the guard redacts %s that are text, and the part keeps its own text',
    async (_, makeChunks) => {
      const definition = createProcessors(FIXED_MODELS).find((one) => one.id === id);
      const processor = withSystem(definition?.create(definition.options.parse(options)) ?? { id }, PROMPT);
      const args = commonArgs({});
      const passed: Chunk[] = [];
      for (const chunk of makeChunks(`id ${value}`)) passed.push(...(await send(processor, chunk, args)));
      expect(JSON.stringify(passed)).not.toContain(value);
      expect(passed.map(readPiece).join('')).toContain('It is noon.');
    },
  );
});
