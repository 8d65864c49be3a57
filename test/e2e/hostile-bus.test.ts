// A hostile peer on the bus publishes on foreign subjects, answers out of turn, and requests answers elsewhere, each time
// with the key of a role. The server refuses what the role may not publish, and no message that arrives ends a service or
// affects runs that it does not name.
import { eventually, useBus, useNats, useStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { collect, joinText } from './collect.ts';
import { fresh, rawCaller, makeRawMessage } from './hostile/raw-caller.ts';
import { escapeScript } from './hostile/escape-text.ts';

const nats = useNats();
const observer = useBus(nats, 'observer');
/** A service that was taken over, the check, the gateway, an operator. */
const peers = {
  guardrails: useBus(nats, 'hostile', { role: 'guardrails' }),
  developer: useBus(nats, 'hostile', { role: 'developer' }),
  checker: useBus(nats, 'hostile', { role: 'checker' }),
  gateway: useBus(nats, 'hostile', { role: 'gateway' }),
  operator: useBus(nats, 'hostile', { role: 'operator' }),
};
type PeerRole = keyof typeof peers;
const stack = useStack(nats, ['orchestrator', 'guardrails'], undefined, { processes: 'all' });
const caller = rawCaller(() => peers.operator.bus);
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

/** Kinds of subjects that a role may publish; the test publishes on all of them. */
const PUBLISHED: [PeerRole, RegExp][] = [
  ['guardrails', /^out\./],
  ['developer', /^out\./],
  ['checker', /^(stage|session|cancel)\./],
  ['gateway', /^api\./],
  ['operator', /^api\./],
];

describe('a hostile peer on the bus', () => {
  test.each(PUBLISHED)(
    'junk of the role %s on every subject ends no service, and a concurrent run finishes completely',
    async (role, published) => {
      const { bus } = peers[role];
      const pids = stack.pids();
      const text = 'steady words '.repeat(12);
      const run = await stack.client.start(await applyGuarded(), escapeScript([{ text, chunkSize: 6, delayMs: 40 }]));
      const { prefix } = bus.subjects;
      const tails = [
        'stage.processInput.guardrails.prompt-injection',
        'stage.processOutputStream.guardrails.pii',
        'session.guardrails.x.y',
        'out.x.y',
        `control.default.${run.runId}`,
        'cancel.guardrails',
        ...['submit', 'run', 'cancel', 'replay', 'events'].map(
          (verb) => `api.${verb}.default.operator.${fresh('junk')}`,
        ),
        ...['agents-apply', 'agents-list', 'agents-get', 'agents-plan'].map((verb) => `api.${verb}.default.operator`),
      ];
      const arrived = new Set<string>();
      const observing = observer.bus.nc.subscribe(`${prefix}.>`, {
        callback: (_error, { subject, reply }) => void (reply === '_INBOX.hostile.junk' && arrived.add(subject)),
      });
      await observer.bus.nc.flush();
      for (const tail of tails)
        for (const body of BODIES) bus.nc.publish(`${prefix}.${tail}`, body, { reply: '_INBOX.hostile.junk' });
      await bus.nc.flush();
      expect(joinText(await collect(run))).toBe(text);
      expect(await run.result()).toMatchObject({ status: 'finished' });
      expect(stack.pids()).toEqual(pids);
      observing.unsubscribe();
      const expected = tails.filter((tail) => published.test(tail)).map((tail) => `${prefix}.${tail}`);
      expect([...arrived].toSorted()).toEqual(expected.toSorted());
    },
    60_000,
  );

  test.each([
    ['of JetStream', '$JS.API.STREAM.DELETE.mr_v1_RUNS'],
    ["of another run's chunks", 'mr.v1.chunks.default.operator.victim'],
    ['of the command queue', 'mr.v1.runs.default'],
  ])('a request for an answer on a subject %s gets no answer there', async (_name, reply) => {
    const { subjects } = observer.bus;
    const seen: string[] = [];
    const asked: string[] = [];
    const observe = (subject: string, into: string[]) =>
      observer.bus.nc.subscribe(subject, { callback: (_error, message) => void into.push(message.subject) });
    const list = subjects.api('agents-list', { tenant: 'default', caller: 'operator' });
    const stage = subjects.stage('processInput', { service: 'guardrails', processor: 'prompt-injection' });
    const observing = [observe(reply, seen), observe(list, asked), observe(stage, asked)];
    await observer.bus.nc.flush();
    peers.operator.bus.nc.publish(list, '{}', { reply });
    peers.checker.bus.nc.publish(stage, '{}', { reply });
    await eventually(() => asked.length === 2);
    // Pending answers have arrived by now, because the same services have answered a later request.
    await stack.client.agents.list();
    await observer.bus.nc.flush();
    for (const one of observing) one.unsubscribe();
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
