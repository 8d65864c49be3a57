// NATS fails in mid-run and restarts: the orchestrator survives, the run continues, and its follower receives all of
// it.
import { useNats, useStack } from '@millrace/testkit';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { collect, joinText } from '../e2e/collect.ts';
import { script } from '../e2e/script.ts';
import { measureOutage } from './measure-outage.ts';

const nats = useNats();
const stack = useStack(nats, ['orchestrator', 'tools'], undefined, { processes: 'all' });

test('a restart of the server ends no run', async () => {
  await stack.client.agents.apply({ name: 'plain', model: 'openai/gpt-5-mini', flushMs: 0, tools: ['calculator'] });
  const before = stack.pids();
  const text = 'word '.repeat(40);
  const calls = [{ name: 'calculator', args: { expression: '1 + 1' } }];
  const run = await stack.client.start(
    'plain',
    script({ text, chunkSize: 5, delayMs: 100, toolCalls: calls }, { text }),
  );
  const reading = collect(run);
  for await (const chunk of run.fullStream) if (chunk.type === 'text-delta') break;

  await nats.stop();
  await nats.start();

  const chunks = await reading;
  expect(chunks.at(-1)?.type).toBe('finish');
  expect(joinText(chunks)).toBe(text + text);
  expect(await run.result()).toMatchObject({ status: 'finished', text: text + text });
  expect(stack.pids()).toEqual(before);
}, 60_000);

describe('an outage with two orchestrators', () => {
  const away = useNats();
  const pair = useStack(away, ['orchestrator', 'orchestrator', 'guardrails'], undefined, { processes: 'all' });

  test.each([0, 11])(
    'an outage of %i s ends no run, with an open session or without one',
    async (seconds) => {
      const outcome = await measureOutage(pair.client, { seconds, runs: 4 }, async () => {
        await away.stop();
        await delay(seconds * 1_000);
        await away.start();
      });
      expect(outcome).toEqual({ withoutSession: 0, withSession: 0, codes: [] });
    },
    120_000,
  );
});
