// A session id that comes twice, and an opening that breaks: what a replica has counted it lets go of.
import { srvStatsSchema, type JsonObject } from '@millrace/contracts';
import { callEntry, eventually, useBus, useNats, useProcessors } from '@millrace/testkit';
import { afterEach, expect, test } from 'vitest';
import { delta, shown, streaming } from '../testing/streaming.ts';
import { openTestSession, type OpenOptions, type TestSession } from '../testing/test-session.ts';

const nats = useNats();
const asker = useBus(nats, 'orchestrator');
const name = 'test-processors';
const gate = Promise.withResolvers<void>();
const entered: string[] = [];
useProcessors(nats, [
  streaming('gated', async ({ part, abort }) => {
    entered.push(shown(part));
    if (shown(part) !== 'wait') return part;
    await gate.promise;
    return abort('late');
  }),
  streaming('unreadable', ({ part }) => part, {
    stateCodec: {
      decode() {
        throw new Error('no');
      },
      encode: (state): JsonObject => ({ ...state }),
    },
  }),
]);

const sessions: TestSession[] = [];
afterEach(() => {
  for (const session of sessions.splice(0)) session.stop();
});
const open = async (more: Partial<OpenOptions>) => {
  const session = await openTestSession(asker.bus, { entries: [callEntry('gated')], ...more });
  sessions.push(session);
  return session;
};
const callsUnderWay = async () => {
  const answer = await asker.bus.nc.request(`$SRV.STATS.${name}`, '', { timeout: 2_000 });
  return srvStatsSchema.parse(answer.json()).endpoints.map(({ data }) => Object(data).calls as unknown);
};

test('a session that is opened again under its id goes on, whatever becomes of the one before it', async () => {
  const session = crypto.randomUUID();
  const former = await open({ session });
  former.send([delta('wait')]);
  await eventually(() => entered.includes('wait'));
  former.stop();
  const again = await open({ session });
  again.send([delta('a')]);
  await eventually(() => again.text() === 'a');
  gate.resolve();
  await asker.bus.nc.flush();
  again.send([delta('b')], { end: true });
  expect(await again.ended()).toMatchObject({ verdicts: [{ type: 'continue' }] });
  expect(again.text()).toBe('ab');
  await eventually(async () => (await callsUnderWay()).every((calls) => calls === 0));
});

test('the id of another run’s session is refused, and that session goes on', async () => {
  const session = crypto.randomUUID();
  const first = await open({ session });
  await expect(open({ session, runId: 'another' })).rejects.toMatchObject({ code: 'message-invalid', path: 'session' });
  first.send([delta('a')], { end: true });
  expect(await first.ended()).toMatchObject({ verdicts: [{ type: 'continue' }] });
  await eventually(async () => (await callsUnderWay()).every((calls) => calls === 0));
});

test('a session that cannot be opened is not counted as under way', async () => {
  await expect(open({ entries: [callEntry('unreadable')] })).rejects.toMatchObject({ code: 'internal' });
  expect(await callsUnderWay()).toEqual([0, 0]);
});
