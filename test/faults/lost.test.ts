// The user's view if a component dies: a guard in mid-stream, a missing guard, the orchestrator.
import { defineMethods, eventually, passingProcessor, useNats, useProcessors, useStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { collect, joinText } from '../e2e/collect.ts';
import { script } from '../e2e/script.ts';

const nats = useNats();

const slow = (id: string) => passingProcessor(id, ['processInput', 'processOutputStream']);

const doomed = useProcessors(nats, [slow('doomed')], 'doomed-service');
/** Never answers, and reports a cancel. */
const stuck = defineMethods(
  'stuck',
  {
    processInput: ({ abortSignal }) =>
      new Promise<undefined>((resolve) =>
        abortSignal.addEventListener('abort', () => {
          cancelled += 1;
          resolve(undefined);
        }),
      ),
    processOutputStep: () => undefined,
  },
  { policy: { timeoutMs: 300, attempts: 1 } },
);
let cancelled = 0;
useProcessors(nats, [stuck], 'stuck-service');
const stack = useStack(nats, ['orchestrator'], undefined, { processes: 'all' });

async function apply(name: string, lists: object): Promise<string> {
  await stack.client.agents.apply({ name, model: 'openai/gpt-5-mini', flushMs: 0, ...lists });
  return name;
}

describe('the loss of a guard', () => {
  test('a guard that exceeds its timeout fails the run by its policy and receives a cancel', async () => {
    const run = await stack.client.start(await apply('stuck', { input: ['stuck'] }), 'hello');
    expect(await run.result()).toMatchObject({
      status: 'failed',
      error: { code: 'processor-timeout', path: 'processInput/stuck' },
    });
    await eventually(() => cancelled > 0);
    const skipping = await apply('stuck-skipped', { input: [{ use: 'stuck', onFailure: 'skip' }] });
    expect(await (await stack.client.start(skipping, script({ text: 'went on' }))).result()).toMatchObject({
      text: 'went on',
    });
  });

  test('the orchestrator waits for a guard that disconnects in mid-stream and fails the run without a replacement; no unguarded text is published', async () => {
    const run = await stack.client.start(
      await apply('doomed', { output: [{ use: 'doomed', timeoutMs: 1_000 }] }),
      script({ text: 'x'.repeat(400), chunkSize: 2, delayMs: 20 }),
    );
    const chunks = [];
    for await (const chunk of run.fullStream) {
      chunks.push(chunk);
      // Disconnects without closing, as a killed process does.
      if (chunks.length === 8) await doomed.running.bus.nc.close();
    }
    expect(chunks.at(-1)).toMatchObject({
      type: 'error',
      payload: { error: { code: 'processor-not-there', path: 'processOutputStream/doomed' } },
    });
    expect(joinText(chunks).length).toBeLessThan(400);
  });

  test('a missing guard blocks the run', async () => {
    const run = await stack.client.start('doomed', script({ text: 'unguarded' }));
    const chunks = await collect(run);
    expect(joinText(chunks)).toBe('');
    expect(chunks.at(-1)).toMatchObject({ type: 'error', payload: { error: { code: 'processor-not-there' } } });
  });
});

describe('the loss of an orchestrator', () => {
  test('an orchestrator that is killed in mid-run is replaced by the next one, which continues the run', async () => {
    const name = await apply('plain', {});
    const text = 'y'.repeat(400);
    const run = await stack.client.start(name, script({ text, chunkSize: 4, delayMs: 20 }));
    const reading = collect(run);
    await eventually(async () => (await stack.log('orchestrator')).includes('is up'));
    await eventually(async () => (await stack.client.runs.get(run.runId)).status === 'running', { timeoutMs: 5_000 });
    await stack.signal('orchestrator', 'SIGKILL');
    await stack.start('orchestrator');
    const chunks = await reading;
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', payload: { output: { text } } });
    expect(await run.result()).toMatchObject({ status: 'finished', text });
  }, 45_000);

  test('a stopping orchestrator hands its runs over after their answer, and the next one ends them', async () => {
    const run = await stack.client.start('plain', script({ text: 'z'.repeat(40), chunkSize: 4, delayMs: 50 }));
    await eventually(async () => (await stack.client.runs.get(run.runId).catch(() => undefined))?.status === 'running');
    const reading = collect(run);
    await stack.signal('orchestrator', 'SIGTERM');
    await stack.start('orchestrator');
    const chunks = await reading;
    expect(joinText(chunks)).toBe('z'.repeat(40));
    expect(chunks.at(-1)?.type).toBe('finish');
    const events = await stack.client.runs.events(run.runId);
    expect(events.filter(({ event }) => event === 'model')).toHaveLength(1);
  }, 30_000);
});

describe('cancelling a run', () => {
  test('a cancel works from another client, keeps the published text, and stops the model', async () => {
    const run = await stack.client.start('plain', script({ text: 'w'.repeat(4_000), chunkSize: 4, delayMs: 20 }));
    let count = 0;
    const chunks = [];
    for await (const chunk of run.fullStream) {
      chunks.push(chunk);
      if (chunk.type === 'text-delta' && ++count === 5) await (await stack.client.follow(run.runId)).cancel();
    }
    expect(chunks.at(-1)?.type).toBe('abort');
    const result = await run.result();
    expect(result.status).toBe('cancelled');
    expect(result.text.length).toBeGreaterThan(0);
    expect(result.text).toBe(joinText(chunks));
  });

  test('a run that exceeds its deadline fails with its code', async () => {
    const run = await stack.client.start('plain', script({ text: 'w'.repeat(4_000), chunkSize: 4, delayMs: 20 }), {
      deadlineMs: 300,
    });
    expect(await run.result()).toMatchObject({ status: 'failed', error: { code: 'run-deadline-exceeded' } });
  });
});
