// Runs the real orchestrator with one processor that a test scripts on the wire.
import type { JsonObject } from '@millrace/contracts';
import {
  eventually,
  serveWire,
  useBus,
  useStack,
  type TestNats,
  type WireJson,
  type WireScript,
} from '@millrace/testkit';
import { expect } from 'vitest';
import { collect } from '../collect.ts';
import { script } from '../script.ts';

/** For the answers of a run that must finish, even if other processes keep both cores busy. */
export const PATIENT_MS = 10_000;
export const MEBIBYTE = 1024 * 1024;
/** Text of the model, sent slowly: a session is opened again before its end. */
export const SAID = 'plain words, and then some more of them';
export const GO_ON = { type: 'continue' };
const POLICY = { attempts: 1, onFailure: 'fail' };
export type Adversary = Omit<WireScript, 'id'>;

/** Call this after useNats. */
export function useAdversaries(nats: TestNats) {
  const caller = useBus(nats, 'adversary', { role: 'developer' });
  const stack = useStack(nats, ['orchestrator']);
  let count = 0;
  // NATS drops the connection of an orchestrator that a flood turns into a slow consumer; the orchestrator reconnects
  // within seconds.
  const apply = (agent: JsonObject) => eventually(() => stack.client.agents.apply(agent), { timeoutMs: 10_000 });
  return {
    prefix: () => caller.bus.subjects.prefix,
    /** Serves the processor alone in its own service, applies an agent that lists it, and runs that agent. */
    async run(wire: Adversary, timeoutMs = 1_500) {
      const id = `adversary-${(count += 1)}`;
      const bus = await caller.connect({ name: `service-${id}` });
      const { stop } = await serveWire(bus, [
        { ...wire, id, descriptor: { policy: { ...POLICY, timeoutMs }, ...wire.descriptor } },
      ]);
      try {
        await eventually(async () => (await stack.client.processors.survey()).processors.some((one) => one.id === id));
        const list = wire.stage === 'processInput' ? { input: [id] } : { output: [id] };
        await apply({
          name: id,
          model: 'openai/gpt-5-mini',
          flushMs: 0,
          instructions: 'Answer.',
          ...list,
        });
        const run = await stack.client.start(id, script({ text: SAID, chunkSize: 4, delayMs: 50 }));
        const chunks = await collect(run);
        return { chunks, result: await run.result(), path: `${wire.stage}/${id}` };
      } finally {
        await stop();
        await bus.close();
      }
    },
    async stillServing() {
      await apply({
        name: 'plain',
        model: 'openai/gpt-5-mini',
        flushMs: 0,
        instructions: 'Answer.',
      });
      const run = await stack.client.start('plain', script({ text: 'still here' }));
      expect(await run.result()).toMatchObject({ status: 'finished', text: 'still here' });
    },
  };
}

export const readRunId = (call: WireJson): string => String(Reflect.get(Object(call['run']), 'runId'));
