// Runs of the real orchestrator through one processor that a test scripts on the wire.
import type { JsonObject } from '@millrace/contracts';
import { eventually, useBus, useStack, type TestNats } from '@millrace/testkit';
import { expect } from 'vitest';
import { collect } from '../collect.ts';
import { script } from '../script.ts';
import { serveWire, type Json, type Wire, type WireScript } from './scripted-wire.ts';

export const MEBIBYTE = 1024 * 1024;
/** What the model says, slowly: a session is opened again before it is over. */
export const SAID = 'plain words, and then some more of them';
export const GO_ON = { type: 'continue' };
export type Adversary = Omit<WireScript, 'id'>;

/** Call it after useNats. */
export function useAdversaries(nats: TestNats) {
  const caller = useBus(nats, 'adversary');
  const stack = useStack(nats, ['orchestrator']);
  let count = 0;
  // NATS drops the connection of an orchestrator that a flood makes a slow consumer; the orchestrator reconnects within seconds.
  const apply = (agent: JsonObject) => eventually(() => stack.client.agents.apply(agent), { timeoutMs: 10_000 });
  return {
    prefix: () => caller.bus.subjects.prefix,
    /** The processor alone, in a service of its own, and an agent that lists it; then a run of that agent. */
    async run(wire: Adversary) {
      const id = `adversary-${(count += 1)}`;
      const bus = await caller.connect({ name: `service-${id}` });
      const { stop } = await serveWire(bus, [{ ...wire, id }]);
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
        stop();
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

export const runIdOf = (call: Json): string => String(Reflect.get(Object(call['run']), 'runId'));

/** The name of the service that serves the call's processor. */
export function serviceOf(call: Json): string {
  const [entry] = Array.isArray(call['entries']) ? call['entries'] : [];
  return `service-${String(Reflect.get(Object(entry), 'processor'))}`;
}

export const chunksOf = (batch: Json): Json[] => (Array.isArray(batch['chunks']) ? batch['chunks'] : []);

export const answerOf = ({ replica }: Wire, verdict: Json, more: Json = {}): Json => ({
  sequence: 0,
  verdicts: [verdict],
  ms: [0],
  replica,
  ...more,
});
