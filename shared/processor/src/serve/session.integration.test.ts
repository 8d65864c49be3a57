import { SESSION_LIMITS, type SessionOutput } from '@millrace/contracts';
import { publish } from '@millrace/bus';
import { callEntry, eventually, useBus, useNats, useProcessors } from '@millrace/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { delta, formatChunk, streaming } from '../testing/streaming.ts';
import { openTestSession, type OpenOptions, type TestSession } from '../testing/test-session.ts';

const nats = useNats();
const asker = useBus(nats, 'orchestrator');

const log: string[] = [];
const gates = new Map<string, PromiseWithResolvers<void>>();
/** Promises for which `gated` waits, by the text of the chunk. */
const gate = (text: string) => {
  const known = gates.get(text) ?? Promise.withResolvers<void>();
  gates.set(text, known);
  return known;
};
const signals: AbortSignal[] = [];
const hosts = useProcessors(nats, [
  streaming('upper', ({ part }) => (part.type === 'text-delta' ? delta(part.payload.text.toUpperCase()) : part)),
  streaming('count', ({ part, state }) => {
    state['seen'] = Number(state['seen'] ?? 0) + 1;
    return part;
  }),
  streaming('gated', async ({ part, abortSignal }) => {
    signals.push(abortSignal);
    log.push(`enter ${formatChunk(part)}`);
    if (formatChunk(part).startsWith('wait')) await gate(formatChunk(part)).promise;
    return part;
  }),
  streaming('stop', ({ part, abort }) => (formatChunk(part) === 'C' ? abort('no') : part)),
  streaming('grow', ({ part }) => delta(formatChunk(part).repeat(10_000))),
  streaming('writing', async ({ part, writer }) => {
    await writer.custom({ type: 'data-note' });
    return part;
  }),
]);

/** Less than the heartbeat interval, because a heartbeat would carry the output too. */
const soonMs = SESSION_LIMITS.heartbeatMs * 0.4;
afterEach(() => {
  for (const { resolve } of gates.values()) resolve();
  gates.clear();
});
const join = async (ids: string[], more: Partial<OpenOptions> = {}) => {
  const entries = ids.map((id, at) => callEntry(id, {}, { entry: `${id}-${at}` }));
  return openTestSession(asker.bus, { entries, ...more });
};
const numbers = (outputs: SessionOutput[]) => outputs.map(({ sequence }) => sequence);
const dense = (outputs: SessionOutput[]) => outputs.map((_, at) => at);

describe('a replica’s session', () => {
  test('A session receives batches, returns batches, counts processed chunks, and ends with verdicts and state', async () => {
    const session = await join(['count', 'upper']);
    expect(session.opened).toMatchObject({
      opened: true,
      served: 2,
      replica: hosts.running.replica,
      service: 'test-processors',
    });
    session.send([delta('a'), delta('b')]);
    await eventually(() => session.text() === 'AB');
    session.send([delta('c')], { end: true });
    const end = await session.readEnd();
    expect(end).toMatchObject({
      processed: 3,
      verdicts: [{ type: 'continue', state: { seen: 3 } }, { type: 'continue' }],
    });
    expect(end.ms).toHaveLength(2);
    expect(session.text()).toBe('ABC');
    expect(numbers(session.outputs)).toEqual(dense(session.outputs));
  });

  test('A session answers at once when its input is used up', async () => {
    const session = await join(['upper']);
    session.send([delta('a')]);
    await eventually(() => session.text() === 'A', { timeoutMs: soonMs });
    expect(session.outputs.at(-1)).toMatchObject({ processed: 1 });
  });

  test('A session may receive its first batch with the open', async () => {
    const session = await join(['upper'], { chunks: [delta('a')] });
    await eventually(() => session.text() === 'A');
    session.send([delta('b')], { end: true });
    await session.readEnd();
    expect(session.text()).toBe('AB');
  });

  test('A session sends available output while it processes the rest, and counts only processed chunks', async () => {
    const session = await join(['gated']);
    session.send([delta('a'), delta('wait 1'), delta('b')]);
    await eventually(() => session.text() === 'a', { timeoutMs: soonMs });
    expect(session.outputs.at(-1)).toMatchObject({ processed: 1 });
    gate('wait 1').resolve();
    await eventually(() => session.text() === 'await 1b');
    expect(session.outputs.at(-1)).toMatchObject({ processed: 3 });
  });

  test('A session passes data chunks on at once', async () => {
    const session = await join(['writing', 'gated']);
    session.send([delta('wait 2')]);
    await eventually(() => session.outputs.flatMap(({ chunks }) => chunks).length === 1, {
      timeoutMs: soonMs,
    });
    expect(session.outputs.flatMap(({ chunks }) => chunks.map(({ type }) => type))).toEqual(['data-note']);
  });

  test('A session keeps its batches below their size limit, for any expansion of a chunk', async () => {
    const session = await join(['grow']);
    session.send(
      Array.from({ length: 100 }, () => delta('0123456789')),
      { end: true },
    );
    await session.readEnd();
    expect(session.text()).toHaveLength(10_000_000);
    expect(numbers(session.outputs)).toEqual(dense(session.outputs));
    for (const { chunks } of session.outputs)
      expect(JSON.stringify(chunks).length).toBeLessThanOrEqual(SESSION_LIMITS.maxBatchBytes);
    expect(session.outputs.filter(({ verdicts }) => verdicts)).toHaveLength(1);
  });
});

describe('a stream of one batch', () => {
  test('A stream of one batch is answered by the reply to the open, without a session', async () => {
    const { opened, outputs } = await join(['count', 'upper'], { chunks: [delta('a'), delta('b')], end: true });
    if (!opened.opened) throw new Error('it was to be opened');
    expect(opened.output?.chunks.map(formatChunk)).toEqual(['A', 'B']);
    expect(opened.output?.verdicts).toEqual([{ type: 'continue', state: { seen: 2 } }, { type: 'continue' }]);
    expect(outputs).toEqual([]);
  });

  test('A stream of one batch that a processor stops has its verdict', async () => {
    const { opened } = await join(['upper', 'stop'], { chunks: [delta('a'), delta('c'), delta('d')], end: true });
    if (!opened.opened) throw new Error('it was to be opened');
    expect(opened.output?.chunks.map(formatChunk)).toEqual(['A']);
    expect(opened.output?.verdicts).toMatchObject([{ type: 'continue' }, { type: 'abort', reason: 'no' }]);
  });
});

describe('opening a session', () => {
  test('The reply to an open names the number of entries that this replica serves', async () => {
    expect((await join(['upper', 'count', 'elsewhere', 'upper'])).opened).toMatchObject({ opened: true, served: 2 });
  });

  test('An open fails if the options of the first entry are invalid', async () => {
    const entries = [callEntry('upper', { unknown: 1 })];
    const session = await openTestSession(asker.bus, { entries });
    expect(session.opened).toMatchObject({ opened: false, verdicts: [{ type: 'failure', code: 'options-invalid' }] });
  });

  test('An open covers entries with valid options only: the next one is requested again, and fails on its own', async () => {
    const session = await openTestSession(asker.bus, {
      entries: [callEntry('upper'), callEntry('count', { unknown: 1 })],
    });
    expect(session.opened).toMatchObject({ opened: true, served: 1 });
  });
});

describe('failures of a replica’s session', () => {
  test('A processor that stops a session passes its earlier output with the verdicts, and nothing later', async () => {
    const session = await join(['upper', 'stop']);
    session.send([delta('a'), delta('b'), delta('c'), delta('d')]);
    expect(await session.readEnd()).toMatchObject({
      verdicts: [{ type: 'continue' }, { type: 'abort', reason: 'no' }],
    });
    session.send([delta('e')]);
    await asker.bus.nc.flush();
    await hosts.running.bus.nc.flush();
    await asker.bus.nc.flush();
    expect(session.text()).toBe('AB');
  });

  test.each([
    ['a batch that is missing', 1],
    ['many that are missing', 7],
  ])('A gap in the numbers fails the session: %s', async (_name, sequence) => {
    const session = await join(['upper', 'count']);
    session.send([delta('a')], { sequence });
    expect(await session.readEnd()).toMatchObject({
      verdicts: [
        { type: 'failure', code: 'session-lost', retryable: true },
        { type: 'failure', code: 'session-lost', retryable: true },
      ],
    });
    expect(session.text()).toBe('');
  });

  test('A duplicate batch fails the session', async () => {
    const session = await join(['upper']);
    session.send([delta('a')], { sequence: 0 });
    await eventually(() => session.text() === 'A');
    session.send([delta('a')], { sequence: 0 });
    expect(await session.readEnd()).toMatchObject({ verdicts: [{ type: 'failure', code: 'session-lost' }] });
    expect(session.text()).toBe('A');
  });

  test('An invalid batch fails the session, and the failure names the problem', async () => {
    const session = await join(['upper']);
    session.send([], { processed: -1 });
    expect(await session.readEnd()).toMatchObject({
      verdicts: [{ type: 'failure', code: 'message-invalid', message: expect.stringContaining('processed') }],
    });
  });

  test('A chunk that no message can carry is one coded failure with the next number', async () => {
    const session = await join(['grow']);
    session.send([delta('a')]);
    await eventually(() => session.text().length === 10_000);
    session.send([delta('x'.repeat(1_000))]);
    expect(await session.readEnd()).toMatchObject({ verdicts: [{ type: 'failure', code: 'message-too-large' }] });
    expect(numbers(session.outputs)).toEqual(dense(session.outputs));
  });

  test("A dropped session sends nothing more, and the running processor's signal fires", async () => {
    const session = await join(['gated']);
    const before = signals.length;
    session.send([delta('wait 3')]);
    const signal = await eventually(() => signals[before]);
    session.send([], { drop: true });
    await eventually(() => signal.aborted);
    gate('wait 3').resolve();
    await hosts.running.bus.nc.flush();
    await asker.bus.nc.flush();
    expect(session.text()).toBe('');
  });

  test("A session is cancelled by its call id, and the running processor's signal fires", async () => {
    const session = await join(['gated']);
    const before = signals.length;
    session.send([delta('wait 4')]);
    const signal = await eventually(() => signals[before]);
    publish(asker.bus, asker.bus.subjects.cancelCalls('test-processors'), { callIds: [session.callId] });
    expect(await eventually(() => signal.aborted)).toBe(true);
  });

  test('A replica drops a silent session after it has sent heartbeats', async () => {
    const session = await join(['gated']);
    const before = signals.length;
    session.send([delta('wait 5')]);
    const signal = await eventually(() => signals[before]);
    await eventually(() => signal.aborted, { timeoutMs: SESSION_LIMITS.silenceMs + 3 * SESSION_LIMITS.heartbeatMs });
    const signs = session.outputs.length;
    expect(signs).toBeGreaterThanOrEqual(2);
    session.send([delta('late')]);
    await eventually(() => session.outputs.length > signs, { timeoutMs: SESSION_LIMITS.heartbeatMs }).catch(
      () => undefined,
    );
    expect(session.outputs).toHaveLength(signs);
  }, 15_000);

  test('A session on a stopping replica ends with its last chunk if the grace period allows', async () => {
    const leaving = await hosts.start({ DRAIN_GRACE_MS: '5000' });
    const session = await openOn(leaving.replica);
    session.send([delta('a')]);
    await eventually(() => session.text() === 'a');
    const stopped = leaving.stop();
    session.send([delta('b')], { end: true });
    expect(await session.readEnd()).toMatchObject({ verdicts: [{ type: 'continue' }] });
    await stopped;
  });

  test('A stopping replica ends as soon as the caller has dropped the session', async () => {
    const leaving = await hosts.start({ DRAIN_GRACE_MS: '30000' });
    const session = await openOn(leaving.replica);
    const stopped = leaving.stop();
    session.send([], { drop: true });
    await stopped;
    expect(session.outputs.some(({ verdicts }) => verdicts)).toBe(false);
  }, 15_000);

  test('A session that outlasts the grace period of a stopping replica fails once and at once', async () => {
    const leaving = await hosts.start();
    const session = await openOn(leaving.replica);
    session.send([delta('a')]);
    await eventually(() => session.text() === 'a');
    await leaving.stop();
    expect(await session.readEnd()).toMatchObject({
      verdicts: [{ type: 'failure', code: 'session-lost', message: expect.stringContaining('stopping') }],
    });
  });
});

/** Opens a session on this replica: the queue group picks one, so the open is repeated until it is the right one. */
async function openOn(replica: string): Promise<TestSession> {
  for (;;) {
    const session = await join(['gated']);
    if (session.opened.opened && session.opened.replica === replica) return session;
    session.send([], { drop: true });
  }
}
