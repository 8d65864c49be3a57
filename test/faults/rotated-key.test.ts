// The key of a service is rotated while runs stream through it: NATS restarts with the new users, and no run is lost.
import { useBus, useNats, useStack } from '@millrace/testkit';
import { beforeAll, expect, test } from 'vitest';
import { script } from '../e2e/script.ts';

const nats = useNats();
const stack = useStack(nats, ['orchestrator', 'guardrails'], undefined, { processes: 'all' });
const stranger = useBus(nats, 'stranger');
beforeAll(async () => {
  await stack.client.agents.apply({ name: 'guarded', model: 'openai/gpt-5-mini', flushMs: 0, output: ['pii'] });
});

const RUNS = 8;
const SECRET = 'ann.example@example.com';
const said = `before it ${'word '.repeat(40)}write to ${SECRET} and go on ${'word '.repeat(60)}`;

test('A key is rotated under load by a restart of NATS: every run finishes, masked, and the former key is refused', async () => {
  const formerSeed = nats.readSeed('guardrails');
  const runs = await Promise.all(
    Array.from({ length: RUNS }, () =>
      stack.client.start('guarded', script({ text: said, chunkSize: 3, delayMs: 40 })),
    ),
  );
  const results = runs.map((run) => run.result());
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await nats.rotateKey('guardrails');
  await nats.kill();
  await nats.start();
  for (const result of await Promise.all(results)) {
    expect(result).toMatchObject({ status: 'finished' });
    expect(result.text).toContain('before it word');
    expect(result.text.match(/word/g)).toHaveLength(100);
    expect(result.text).not.toContain(SECRET);
  }
  const again = await stack.client.generate('guarded', script({ text: said, chunkSize: 200, delayMs: 0 }));
  expect(again).toMatchObject({ status: 'finished', text: expect.not.stringContaining(SECRET) });
  await expect(stranger.connect({ nkeySeed: formerSeed })).rejects.toMatchObject({ code: 'credentials-refused' });
}, 90_000);
