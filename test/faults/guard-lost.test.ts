// A guard's only replica is lost during its work and another one starts: the run continues long before the guard's
// timeout.
import { defineMethods, useNats, useProcessors, useStack } from '@millrace/testkit';
import { afterAll, expect, test } from 'vitest';
import { script } from '../e2e/script.ts';

const nats = useNats();

/** Far above the duration of a test: a caller that waits for it fails. */
const LONG_MS = 120_000;
let calls = 0;
let entered = Promise.withResolvers<void>();
/** Ends the call of the disconnected replica: its run continued without it. */
const over = Promise.withResolvers<void>();
afterAll(over.resolve);
const guard = (id: string, hangs: boolean) =>
  defineMethods(
    id,
    {
      processInput: async ({ abortSignal }) => {
        if (!hangs || ++calls > 1) return;
        entered.resolve();
        abortSignal.addEventListener('abort', () => over.resolve());
        await over.promise;
      },
    },
    { reads: ['input'], policy: { timeoutMs: LONG_MS, attempts: 2 } },
  );
const guards = useProcessors(nats, [guard('first', false), guard('second', true)], 'guards-service');
const stack = useStack(nats, ['orchestrator'], undefined, { processes: 'all' });

async function submit(name: string, input: string[]) {
  calls = 0;
  entered = Promise.withResolvers();
  await stack.client.agents.apply({ name, model: 'openai/gpt-5-mini', input });
  return stack.client.start(name, script({ text: 'guarded' }));
}

test('a guard that loses its only replica in a merged call judges on the next one, and the run finishes', async () => {
  const doomed = guards.running;
  const run = await submit('merged', ['first', 'second']);
  await entered.promise;
  // Disconnects without closing, as a killed process does.
  await doomed.bus.nc.close();
  const started = performance.now();
  await guards.start();
  expect(await run.result()).toMatchObject({ status: 'finished', text: 'guarded' });
  expect(performance.now() - started).toBeLessThan(LONG_MS / 4);
  expect(calls).toBe(2);
}, 60_000);
