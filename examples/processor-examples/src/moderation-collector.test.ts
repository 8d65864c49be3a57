import type { Chunk } from '@millrace/contracts';
import { TEST_RUN, textChunks } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { moderationCollector } from './moderation-collector.ts';
import { callExample, streamExample } from './testing/example-calls.ts';

function warning(level: string): Chunk {
  const base = { runId: TEST_RUN.runId, from: 'AGENT' as const };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one of the "other" types of the chunk schema
  return { type: 'data-moderation', ...base, data: { level, reason: 'unsafe' } } as unknown as Chunk;
}

test('moderation-collector keeps warnings, hides mild ones, and reports them at the end', async () => {
  const chunks = [warning('warn'), ...textChunks(['text']), warning('info')];
  const answer = await streamExample(moderationCollector, chunks, { options: { hide: ['info'] } });
  expect(answer.chunks.map(({ type }) => type)).toEqual(['data-moderation', 'text-start', 'text-delta', 'text-end']);
  const warnings = [
    { level: 'warn', reason: 'unsafe' },
    { level: 'info', reason: 'unsafe' },
  ];
  expect(answer.verdict).toMatchObject({ state: { warnings } });
  const state = 'state' in answer.verdict ? answer.verdict.state : undefined;
  expect(await callExample(moderationCollector, 'processOutputResult', { ...(state && { state }) })).toMatchObject({
    type: 'continue',
    violations: [{ rule: 'moderation', count: 2, detail: warnings }],
  });
});

test('moderation-collector keeps no flood', async () => {
  const flood = Array.from({ length: 150 }, () => warning('warn'));
  const { verdict } = await streamExample(moderationCollector, flood);
  expect('state' in verdict && verdict.state?.['warnings']).toHaveLength(100);
});
