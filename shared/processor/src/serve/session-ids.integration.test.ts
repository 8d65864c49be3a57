// Tests duplicate session ids and failed openings: the replica must release the counted calls.
import { srvStatsSchema, type JsonObject } from '@millrace/contracts';
import { callEntry, eventually, useBus, useNats, useProcessors } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { delta, formatChunk, streaming } from '../testing/streaming.ts';
import { openTestSession, type OpenOptions } from '../testing/test-session.ts';

const nats = useNats();
const asker = useBus(nats, 'orchestrator');
const name = 'test-processors';
const gate = Promise.withResolvers<void>();
const entered: string[] = [];
useProcessors(nats, [
  streaming('gated', async ({ part, abort }) => {
    entered.push(formatChunk(part));
    if (formatChunk(part) !== 'wait') return part;
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

const openSession = (more: Partial<OpenOptions>) =>
  openTestSession(asker.bus, { entries: [callEntry('gated')], ...more });
const callsUnderWay = async () => {
  const answer = await asker.bus.nc.request(`$SRV.STATS.${name}`, '', { timeout: 2_000 });
  return srvStatsSchema.parse(answer.json()).endpoints.map(({ data }) => Object(data).calls as unknown);
};

test('A reopened session continues, for every end of the earlier session with its id', async () => {
  const session = crypto.randomUUID();
  const former = await openSession({ session });
  former.send([delta('wait')]);
  await eventually(() => entered.includes('wait'));
  former.stop();
  const again = await openSession({ session });
  again.send([delta('a')]);
  await eventually(() => again.text() === 'a');
  gate.resolve();
  await asker.bus.nc.flush();
  again.send([delta('b')], { end: true });
  expect(await again.readEnd()).toMatchObject({ verdicts: [{ type: 'continue' }] });
  expect(again.text()).toBe('ab');
  await eventually(async () => (await callsUnderWay()).every((calls) => calls === 0));
});

test('The id of another run’s session is rejected, and that session continues', async () => {
  const session = crypto.randomUUID();
  const first = await openSession({ session });
  await expect(openSession({ session, runId: 'another' })).rejects.toMatchObject({
    code: 'message-invalid',
    path: 'session',
  });
  first.send([delta('a')], { end: true });
  expect(await first.readEnd()).toMatchObject({ verdicts: [{ type: 'continue' }] });
  await eventually(async () => (await callsUnderWay()).every((calls) => calls === 0));
});

test('A session that cannot be opened is not counted as under way', async () => {
  await expect(openSession({ entries: [callEntry('unreadable')] })).rejects.toMatchObject({ code: 'internal' });
  expect(await callsUnderWay()).toEqual([0, 0]);
});
