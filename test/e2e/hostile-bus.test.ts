// A hostile peer on the bus publishes on foreign subjects, answers out of turn, and requests answers elsewhere. No
// message of it ends a service or affects runs that it does not name.
import { useBus, useNats, useStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { collect, joinText } from './collect.ts';
import { fresh, rawCaller, makeRawMessage } from './hostile/raw-caller.ts';
import { escapeScript } from './hostile/escape-text.ts';

const nats = useNats();
const bus = useBus(nats, 'hostile');
const stack = useStack(nats, ['orchestrator', 'guardrails']);
const caller = rawCaller(() => bus.bus);
const BODIES = [
  '',
  'null',
  '[]',
  '{}',
  '"x"',
  '{"a',
  `{"__proto__":{"x":1}}`,
  `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  '\u0000\uffff',
];

async function applyGuarded(): Promise<string> {
  await stack.client.agents.apply({
    name: 'guarded',
    model: 'openai/gpt-5-mini',
    flushMs: 0,
    input: ['prompt-injection'],
    output: ['pii'],
  });
  return 'guarded';
}

describe('a hostile peer on the bus', () => {
  test('junk on every subject ends no service, and a concurrent run finishes completely', async () => {
    const pids = stack.pids();
    const text = 'steady words '.repeat(12);
    const run = await stack.client.start(await applyGuarded(), escapeScript([{ text, chunkSize: 6, delayMs: 40 }]));
    const { prefix } = bus.bus.subjects;
    const tails = [
      'stage.processInput.guardrails.prompt-injection',
      'stage.processOutputStream.guardrails.pii',
      'session.guardrails.x.y',
      'out.x.y',
      `control.default.${run.runId}`,
      'cancel.guardrails',
      ...['submit', 'run', 'cancel', 'replay', 'events'].map((verb) => `api.${verb}.default.operator.${fresh('junk')}`),
      ...['agents-apply', 'agents-list', 'agents-get', 'agents-plan'].map((verb) => `api.${verb}.default.operator`),
    ];
    for (const tail of tails)
      for (const body of BODIES) bus.bus.nc.publish(`${prefix}.${tail}`, body, { reply: '_INBOX.hostile.junk' });
    expect(joinText(await collect(run))).toBe(text);
    expect(await run.result()).toMatchObject({ status: 'finished' });
    expect(stack.pids()).toEqual(pids);
  }, 60_000);

  test.each([
    ['of JetStream', '$JS.API.STREAM.DELETE.mr_v1_RUNS'],
    ["of another run's chunks", 'mr.v1.chunks.default.operator.victim'],
    ['of the command queue', 'mr.v1.runs.default'],
  ])('a request for an answer on a subject %s gets no answer there', async (_name, reply) => {
    const seen: string[] = [];
    const listening = bus.bus.nc.subscribe(reply, { callback: (_error, message) => void seen.push(message.string()) });
    bus.bus.nc.publish(bus.bus.subjects.api('agents-list', { tenant: 'default', caller: 'operator' }), '{}', { reply });
    bus.bus.nc.publish(
      bus.bus.subjects.stage('processInput', { service: 'guardrails', processor: 'prompt-injection' }),
      '{}',
      { reply },
    );
    // Pending answers have arrived by now, because the same services have answered a later request.
    await stack.client.agents.list();
    await bus.bus.nc.flush();
    listening.unsubscribe();
    expect(seen).toEqual([]);
    expect(await caller.run(await applyGuarded(), [makeRawMessage('user', 'hello')])).toMatchObject({
      status: 'finished',
    });
  });

  test('a cancel that arrives before the submission ends the run as cancelled, like a later one', async () => {
    const runId = fresh('early');
    const { error } = await caller.api('cancel', {}, runId);
    expect(error).toMatchObject({ code: 'run-unknown' });
    const name = await applyGuarded();
    await caller.submit(name, [makeRawMessage('user', 'hello')], {}, runId);
    expect(await caller.result(runId)).toMatchObject({ status: 'cancelled' });
  });
});
