import type { Chunk, Message } from '@millrace/contracts';
import { TEST_RUN, textChunks } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { reasoningFilter } from './reasoning-filter.ts';
import { callExample, streamExample } from './testing/example-calls.ts';

const parts: Message['content']['parts'] = [
  { type: 'reasoning', reasoning: 'hm' },
  { type: 'text', text: 'yes' },
];
const message: Message = {
  id: 'a',
  role: 'assistant',
  createdAt: '2026-01-01T00:00:00.000Z',
  content: { format: 2, parts },
};
const conversation = { entries: [{ source: 'response' as const, message }], system: [] };

test.each([
  ['nothing', [{ type: 'text', text: 'yes' }]],
  [
    'thinking',
    [
      { type: 'thinking', reasoning: 'hm' },
      { type: 'text', text: 'yes' },
    ],
  ],
])('reasoning-filter replaces reasoning by %s, in place', async (as, expected) => {
  expect(
    await callExample(reasoningFilter, 'processInputStep', { input: { conversation }, options: { as } }),
  ).toMatchObject({
    changes: { ops: [{ op: 'replace', message: { id: 'a', content: { parts: expected } } }] },
  });
});

test('reasoning-filter removes reasoning from the stream if configured', async () => {
  const base = { runId: TEST_RUN.runId, from: 'AGENT' as const };
  const thought: Chunk[] = [
    { type: 'reasoning-start', ...base, payload: { id: 'r' } },
    { type: 'reasoning-delta', ...base, payload: { id: 'r', text: 'hm' } },
    { type: 'reasoning-end', ...base, payload: { id: 'r' } },
  ];
  const types = async (hide: boolean) => {
    const { chunks } = await streamExample(reasoningFilter, [...thought, ...textChunks(['yes'])], {
      options: { hide },
    });
    return chunks.map(({ type }) => type);
  };
  expect(await types(true)).toEqual(['text-start', 'text-delta', 'text-end']);
  expect(await types(false)).toContain('reasoning-delta');
});
