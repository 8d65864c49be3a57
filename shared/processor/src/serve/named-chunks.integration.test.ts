// What a replica's session says of the chunks that it was given: which come out as they went in, and how many are done.
import { callEntry, eventually, useBus, useNats, useProcessors } from '@millrace/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { delta, streaming } from '../testing/streaming.ts';
import { openTestSession, type OpenOptions, type TestSession } from '../testing/test-session.ts';

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
const sessions: TestSession[] = [];
afterEach(() => sessions.splice(0).forEach((session) => session.stop()));
const open = async (ids: string[], more: Partial<OpenOptions> = {}) => {
  const entries = ids.map((id, at) => callEntry(id, {}, { entry: `${id}-${at}` }));
  const session = await openTestSession(asker.bus, { entries, ...more });
  sessions.push(session);
  return session;
};

test('a session counts a chunk as done with the last batch of what came of it', async () => {
  const session = await open(['grow']);
  session.send(Array.from({ length: 100 }, () => delta('0123456789')));
  await eventually(() => session.outputs.some(({ processed }) => processed === 100));
  expect(session.text()).toHaveLength(10_000_000);
});

describe('a session', () => {
  test('names what comes out as it went in by its place, where it was asked to', async () => {
    const session = await open(['count', 'count'], { same: true });
    session.send([delta('a'), delta('b')]);
    await eventually(() => session.outputs.some(({ processed }) => processed === 2));
    session.send([delta('c')], { end: true });
    await session.ended();
    expect(session.text()).toBe('');
    expect(session.outputs.flatMap(({ same }) => same ?? [])).toEqual([
      { from: 0, count: 2 },
      { from: 2, count: 1 },
    ]);
  });

  test('sends what was changed, and what comes after it in the same batch', async () => {
    const session = await open(['upper'], { same: true });
    session.send([delta('A'), delta('b'), delta('C')], { end: true });
    await session.ended();
    expect(session.outputs.flatMap(({ same }) => same ?? [])).toEqual([{ from: 0, count: 1 }]);
    expect(session.text()).toBe('BC');
  });

  test('names nothing where it was not asked to', async () => {
    const session = await open(['count']);
    session.send([delta('a')], { end: true });
    await session.ended();
    expect(session.text()).toBe('a');
    expect(session.outputs.flatMap(({ same }) => same ?? [])).toEqual([]);
  });
});
