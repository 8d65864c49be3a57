// Replicas that accept one call at a time: further calls are sent to another replica or wait, without a failure.
import { defineMethods, eventually, useBus, useNats, useProcessors } from '@millrace/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { createDiscovery } from '../peers/discovery.ts';
import { delta, makeText } from '../testing/chunks.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { createTestRun } from '../testing/test-run.ts';
import { callProcessors } from './call-processors.ts';
import { openOutputChain } from '../sessions/output-chain.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
let entered = 0;
let gate = Promise.withResolvers<void>();
const gated = defineMethods('gated', {
  async processInput() {
    entered += 1;
    await gate.promise;
  },
  processOutputStream: ({ part }) => part,
});
const service = useProcessors(nats, [gated], 'guards');

const TIMEOUT_MS = 3_000;
async function runAt(stage: 'processInput' | 'processOutputStream') {
  const discovery = createDiscovery(connection.bus);
  onTestFinished(() => discovery.stop());
  await discovery.refresh();
  const entry = planEntry('gated', { stages: [stage], timeoutMs: TIMEOUT_MS, attempts: 1 });
  const made = createTestRun({ bus: connection.bus, entries: [entry], discovery });
  onTestFinished(async () => {
    gate.resolve();
    await eventually(() => made.openSessions() === 0);
  });
  return { ...made, entry };
}

test('calls that replicas have no room for wait for it, longer than their own time, and cost no attempt', async () => {
  await service.running.stop();
  const replicas = [await service.start({ MAX_CALLS: '1' }), await service.start({ MAX_CALLS: '1' })];
  const input = { retryCount: 0, stepNumber: 0, conversation: { entries: [], system: [] } };
  entered = 0;
  gate = Promise.withResolvers();
  const call = async () => {
    const { run, entry } = await runAt('processInput');
    return Array.fromAsync(
      callProcessors(run, [entry], { stage: 'processInput', input, receiveData: () => undefined }),
    );
  };
  // Two have their own time; the others have it from when they are taken.
  const first = [call(), call()];
  await eventually(() => entered === 2);
  const others = [call(), call()];
  await new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS / 2));
  expect(entered).toBe(2);
  gate.resolve();
  const judged = (await Promise.all([...first, ...others])).flat();
  expect(judged).toHaveLength(4);
  for (const { verdict, attempts } of judged) expect([verdict.type, attempts]).toEqual(['continue', 1]);

  const one = await runAt('processOutputStream');
  const two = await runAt('processOutputStream');
  const three = await runAt('processOutputStream');
  const out = { output: () => undefined, retract: () => undefined, listPassed: () => [] };
  const session = { retryCount: 0, stepNumber: 0 };
  const chains = [await openOutputChain(one.run, session, out), await openOutputChain(two.run, session, out)];
  const said: string[] = [];
  const third = openOutputChain(three.run, session, { ...out, output: (chunks) => void said.push(makeText(chunks)) });
  await chains[0]?.end();
  const last = await third;
  last.push([delta('after the others')]);
  expect((await last.end()).stopped).toBeUndefined();
  expect(said.join('')).toBe('after the others');
  await chains[1]?.end();
  await Promise.all(replicas.map((replica) => replica.stop()));
}, 60_000);
