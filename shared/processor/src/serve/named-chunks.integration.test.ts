// Tests the ranges and the counter that a replica's session reports for its input chunks.
import { callEntry, eventually, useBus, useNats, useProcessors } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { delta, streaming } from '../testing/streaming.ts';
import { openTestSession, type OpenOptions } from '../testing/test-session.ts';

const nats = useNats();
const asker = useBus(nats, 'orchestrator');
useProcessors(nats, [
  streaming('upper', ({ part }) => (part.type === 'text-delta' ? delta(part.payload.text.toUpperCase()) : part)),
  streaming('grow', ({ part }) => (part.type === 'text-delta' ? delta(part.payload.text.repeat(10_000)) : part)),
  streaming('count', ({ part, state }) => {
    state['seen'] = Number(state['seen'] ?? 0) + 1;
    return part;
  }),
]);
const openSession = async (ids: string[], more: Partial<OpenOptions> = {}) => {
  const entries = ids.map((id, at) => callEntry(id, {}, { entry: `${id}-${at}` }));
  return openTestSession(asker.bus, { entries, ...more });
};

test('A session counts a chunk as processed with the last batch of its output', async () => {
  const session = await openSession(['grow']);
  session.send(Array.from({ length: 100 }, () => delta('0123456789')));
  await eventually(() => session.outputs.some(({ processed }) => processed === 100));
  expect(session.text()).toHaveLength(10_000_000);
});

describe('a session', () => {
  test('A session returns unchanged chunks as ranges if the orchestrator requested it', async () => {
    const session = await openSession(['count', 'count'], { same: true });
    session.send([delta('a'), delta('b')]);
    await eventually(() => session.outputs.some(({ processed }) => processed === 2));
    session.send([delta('c')], { end: true });
    await session.readEnd();
    expect(session.text()).toBe('');
    expect(session.outputs.flatMap(({ same }) => same ?? [])).toEqual([
      { from: 0, count: 2 },
      { from: 2, count: 1 },
    ]);
  });

  test('A session sends changed chunks and the chunks after them in the same batch', async () => {
    const session = await openSession(['upper'], { same: true });
    session.send([delta('A'), delta('b'), delta('C')], { end: true });
    await session.readEnd();
    expect(session.outputs.flatMap(({ same }) => same ?? [])).toEqual([{ from: 0, count: 1 }]);
    expect(session.text()).toBe('BC');
  });

  test('A session sends no ranges without that request', async () => {
    const session = await openSession(['count']);
    session.send([delta('a')], { end: true });
    await session.readEnd();
    expect(session.text()).toBe('a');
    expect(session.outputs.flatMap(({ same }) => same ?? [])).toEqual([]);
  });
});
