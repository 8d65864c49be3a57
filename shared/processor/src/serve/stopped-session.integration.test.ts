// Tests a replica's session that is stopped by the orchestrator, over the bus.
import { callEntry, eventually, useBus, useNats, useProcessors } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { delta, formatChunk, streaming } from '../testing/streaming.ts';
import { openTestSession } from '../testing/test-session.ts';

const nats = useNats();
const asker = useBus(nats, 'orchestrator');
const entered: string[] = [];
useProcessors(nats, [
  streaming('count', ({ part, state, onViolation }) => {
    if (part.type !== 'text-delta') return part;
    state['seen'] = Number(state['seen'] ?? 0) + 1;
    onViolation({ message: 'seen' });
    return part;
  }),
  streaming('stuck', async ({ part }) => {
    entered.push(formatChunk(part));
    return new Promise(() => undefined);
  }),
]);

const openSession = (...ids: string[]) => openTestSession(asker.bus, { entries: ids.map((id) => callEntry(id)) });

test('A session that is asked for its verdicts ends with the states and findings of its processors, even if one of them hangs', async () => {
  const session = await openSession('count', 'stuck');
  session.send([delta('a'), delta('b')]);
  await eventually(() => entered.length === 1);
  session.send([], { tell: true });
  session.send([delta('c')]);
  const { verdicts, chunks } = await session.readEnd();
  expect(verdicts).toMatchObject([{ type: 'continue', state: { seen: 2 } }, { type: 'continue' }]);
  expect(verdicts?.[0]).toHaveProperty('violations.length', 2);
  expect(verdicts?.[1]).not.toHaveProperty('state');
  expect(chunks).toEqual([]);
  expect(session.text()).toBe('');
  const before = session.outputs.length;
  await asker.bus.nc.flush();
  expect(session.outputs).toHaveLength(before);
});

test('A session that is asked for its verdicts before any input has empty verdicts', async () => {
  const session = await openSession('count');
  session.send([], { tell: true });
  expect(await session.readEnd()).toMatchObject({ sequence: 0, verdicts: [{ type: 'continue' }] });
});
