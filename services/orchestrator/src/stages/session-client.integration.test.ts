// The orchestrator's end of a stream session against a replica that a test plays.
import { SESSION_LIMITS } from '@millrace/contracts';
import { publish } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { delta, textOf } from '../testing/chunks.ts';
import { RUN_ID } from '../testing/run-states.ts';
import { playSession, type PlayedSession } from '../testing/session-replica.ts';
import { chunk } from '../state/make-chunk.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const opened: PlayedSession[] = [];
afterEach(() => opened.splice(0).forEach((session) => session.stop()));

async function session({ timeoutMs = 5_000, started = true } = {}): Promise<PlayedSession> {
  const replica = await connection.connect({ name: 'guards' });
  const made = playSession(connection.bus, replica, timeoutMs);
  opened.push(made);
  made.opened();
  if (started) made.start();
  await Promise.all([connection.bus.nc.flush(), replica.nc.flush()]);
  return made;
}
const words = (count: number, from = 0) => Array.from({ length: count }, (_, at) => delta(`${from + at} `));
const payloads: Record<string, object> = {
  finish: { stepResult: { reason: 'stop' }, output: {}, messages: [] },
  error: { error: 'x' },
  tripwire: { reason: 'x' },
  retract: { index: 0 },
  suspended: { resumeToken: 'x', expiresAt: 'x' },
};
const controlChunk = (type: string) => chunk(RUN_ID, { type, payload: payloads[type] ?? {} });
const isDense = ({ inputs }: PlayedSession) => inputs.every(({ sequence }, at) => sequence === at);

describe('batches', () => {
  test('go out at once when nothing is in flight, and are numbered densely', async () => {
    const made = await session();
    made.client.push(words(1));
    await eventually(() => made.received().length === 1);
    made.answer([delta('one')]);
    await eventually(() => textOf(made.output) === 'one');
    made.client.push(words(1, 1));
    await eventually(() => made.received().length === 2);
    expect(isDense(made)).toBe(true);
  });

  test('gather while something is in flight, and go on when it is done', async () => {
    const made = await session();
    for (let n = 0; n < 50; n++) made.client.push(words(1, n));
    await eventually(() => made.received().length === 1);
    await made.settle();
    expect(made.received()).toHaveLength(1);
    made.send({});
    await eventually(() => made.received().length === 50);
    expect(made.inputs.filter(({ chunks }) => chunks.length > 0)).toHaveLength(2);
    expect(textOf(made.received())).toBe(textOf(words(50)));
  });

  test('go out without waiting when enough has gathered', async () => {
    const made = await session();
    made.client.push(words(1));
    made.client.push(words(SESSION_LIMITS.batchChunks, 1));
    await eventually(() => made.received().length === SESSION_LIMITS.batchChunks + 1);
    expect(isDense(made)).toBe(true);
  });

  test('never exceed the window of chunks that are not done', async () => {
    const made = await session();
    const many = SESSION_LIMITS.windowChunks * 2;
    made.client.push(words(many));
    await eventually(() => made.received().length === SESSION_LIMITS.windowChunks);
    expect(made.client.waiting()).toBe(many - SESSION_LIMITS.windowChunks);
    made.send({ processed: 300 });
    await eventually(() => made.received().length === SESSION_LIMITS.windowChunks + 300);
    expect(made.client.waiting()).toBe(many - SESSION_LIMITS.windowChunks - 300);
    made.send({});
    await eventually(() => made.received().length === many);
    expect(textOf(made.received())).toBe(textOf(words(many)));
  });

  test('are split where they would be too large for one message', async () => {
    const made = await session();
    made.client.push(Array.from({ length: 10 }, () => delta('x'.repeat(100_000))));
    await eventually(() => made.received().length === 10);
    expect(made.inputs.filter(({ chunks }) => chunks.length > 0).length).toBeGreaterThan(3);
    expect(isDense(made)).toBe(true);
  });

  test('wait for the start: what is pushed before it goes then', async () => {
    const made = await session({ started: false });
    made.client.push(words(2));
    await made.settle();
    expect(made.inputs).toEqual([]);
    made.start();
    await eventually(() => made.received().length === 2);
  });
});

describe('the end', () => {
  test('goes with the last chunks, and the verdicts end the session', async () => {
    const made = await session();
    made.client.push(words(1));
    made.client.push(words(3, 1));
    made.client.end();
    await eventually(() => made.inputs.some(({ end }) => end));
    expect(made.received()).toHaveLength(4);
    made.send({ chunks: [delta('last')] });
    made.finish([{ type: 'continue', state: { sequence: 1 } }]);
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toEqual([{ verdicts: [{ type: 'continue', state: { sequence: 1 } }], ms: [1] }]);
    expect(textOf(made.output)).toBe('last');
  });

  test('waits for the window: nothing is left behind', async () => {
    const made = await session();
    made.client.push(words(SESSION_LIMITS.windowChunks + 5));
    made.client.end();
    await eventually(() => made.received().length === SESSION_LIMITS.windowChunks);
    expect(made.inputs.some(({ end }) => end)).toBe(false);
    made.send({});
    await eventually(() => made.inputs.some(({ end }) => end));
    expect(made.received()).toHaveLength(SESSION_LIMITS.windowChunks + 5);
    expect(made.inputs.filter(({ end }) => end)).toHaveLength(1);
  });

  test('of an empty session is said by itself', async () => {
    const made = await session();
    made.client.end();
    expect(await eventually(() => made.inputs.find(({ end }) => end))).toMatchObject({ sequence: 0, chunks: [] });
  });

  test('is not the replica’s to say: verdicts of continue before it was sent lose the session', async () => {
    const made = await session();
    made.client.push(words(1));
    await eventually(() => made.received().length === 1);
    made.send({ chunks: [delta('a')] });
    made.finish();
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toMatchObject([{ lost: { code: 'session-lost', message: expect.stringContaining('its end') } }]);
  });

  test('with fewer chunks processed than were sent loses the session: text must not vanish with it', async () => {
    const made = await session();
    made.client.push(words(2));
    made.client.end();
    await eventually(() => made.received().length === 2);
    made.send({ processed: 1, verdicts: [{ type: 'continue' }], ms: [1] });
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toMatchObject([{ lost: { code: 'session-lost', message: expect.stringContaining('1 of 2') } }]);
  });

  test('with more verdicts than entries is refused', async () => {
    const made = await session();
    made.client.end();
    made.finish([{ type: 'continue' }, { type: 'continue' }]);
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toMatchObject([{ lost: { code: 'processor-verdict-refused' } }]);
  });

  test('may come from the replica at any time with a verdict that stops the stream', async () => {
    const made = await session();
    made.client.push(words(1));
    made.finish([{ type: 'abort', reason: 'no' }]);
    await eventually(() => made.ends.length === 1);
    const sent = made.inputs.length;
    made.client.push(words(5));
    made.client.end();
    await made.settle();
    expect(made.inputs).toHaveLength(sent);
  });
});

describe('a session is lost', () => {
  const lost = (code: string) => ({ lost: expect.objectContaining({ code }) });

  test('by a gap in the answers’ numbers, at once; the replica is told', async () => {
    const made = await session();
    made.client.push(words(1));
    made.send({ sequence: 1, chunks: [delta('unguarded?')] });
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toEqual([lost('session-lost')]);
    expect(made.output).toEqual([]);
    await eventually(() => made.inputs.some(({ drop }) => drop));
  });

  test('by an answer that comes twice', async () => {
    const made = await session();
    made.client.push(words(1));
    await eventually(() => made.received().length === 1);
    made.send({ sequence: 0, chunks: [delta('a')] });
    made.send({ sequence: 0, chunks: [delta('a')] });
    await eventually(() => made.ends.length === 1);
    expect(textOf(made.output)).toBe('a');
  });

  test('by silence', async () => {
    const made = await session();
    const started = Date.now();
    await eventually(() => made.ends.length === 1, { timeoutMs: SESSION_LIMITS.silenceMs + 2_000 });
    expect(made.ends).toEqual([lost('session-lost')]);
    expect(Date.now() - started).toBeGreaterThanOrEqual(SESSION_LIMITS.silenceMs);
  }, 10_000);

  test('by chunks that are not done in time, though the replica is alive', async () => {
    const made = await session({ timeoutMs: 700 });
    // A sign of life that says that nothing is done.
    const stuck = setInterval(() => made.send({ processed: 0 }), 200);
    made.client.push(words(1));
    await eventually(() => made.ends.length === 1);
    clearInterval(stuck);
    expect(made.ends).toEqual([lost('processor-timeout')]);
  });

  test('by chunks that are only counted, and were never sent: a count alone keeps nothing alive', async () => {
    const made = await session({ timeoutMs: 700 });
    let counted = 0;
    const counting = setInterval(() => made.send({ processed: (counted += 100) }), 200);
    made.client.push(words(1));
    made.client.end();
    await eventually(() => made.ends.length === 1);
    clearInterval(counting);
    expect(made.ends).toEqual([lost('processor-timeout')]);
  });

  test.each(['start', 'finish', 'error', 'tripwire', 'abort', 'retract', 'suspended', 'resumed'])(
    'by a %s chunk that comes out of it: only the orchestrator makes those',
    async (type) => {
      const made = await session();
      made.client.push(words(1));
      await eventually(() => made.received().length === 1);
      made.answer([delta('a'), controlChunk(type)]);
      await eventually(() => made.ends.length === 1);
      expect(made.ends).toEqual([
        { lost: { code: 'processor-failed', message: expect.stringContaining(`"${type}"`) } },
      ]);
      expect(made.output).toEqual([]);
    },
  );

  test('by chunks that come out before any went in', async () => {
    const made = await session();
    made.answer([delta('from nowhere')]);
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toEqual([lost('processor-failed')]);
    expect(made.output).toEqual([]);
  });

  test('by what is no batch, and says so instead of a number that is missing', async () => {
    const made = await session();
    publish(connection.bus, made.out, { session: made.session, sequence: 0, processed: 0, chunks: [{ type: 1 }] });
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toEqual([
      { lost: { code: 'processor-failed', message: expect.stringContaining('does not fit') } },
    ]);
  });

  test('by an end that is not answered in time', async () => {
    const made = await session({ timeoutMs: 700 });
    const quiet = made.sendHeartbeats();
    made.client.end();
    await eventually(() => made.ends.length === 1);
    quiet();
    expect(made.ends).toEqual([lost('processor-timeout')]);
  });

  test('before anybody listens too: whoever starts it then is told', async () => {
    const made = await session({ started: false });
    made.send({ sequence: 1 });
    await made.settle();
    made.start();
    expect(made.ends).toEqual([lost('session-lost')]);
  });

  test('once, whatever comes after', async () => {
    const made = await session();
    made.send({ sequence: 5 });
    await eventually(() => made.ends.length === 1);
    made.send({ sequence: 0, chunks: [delta('late')] });
    made.finish();
    await made.settle();
    expect(made.ends).toHaveLength(1);
    expect(made.output).toEqual([]);
  });
});

describe('a session is not lost', () => {
  test('by waiting for a slow model: both ends show that they live', async () => {
    const made = await session({ timeoutMs: 500 });
    const quiet = made.sendHeartbeats();
    await eventually(() => made.inputs.length >= 3, { timeoutMs: 4_000 });
    quiet();
    expect(made.ends).toEqual([]);
    expect(made.received()).toEqual([]);
  });

  test('by waiting for the step’s other sessions to be opened: it shows that it lives before it is started', async () => {
    const made = await session({ started: false });
    const quiet = made.sendHeartbeats();
    await eventually(() => made.inputs.length >= 2, { timeoutMs: 4 * SESSION_LIMITS.heartbeatMs });
    quiet();
    expect(made.received()).toEqual([]);
    made.start();
    expect(made.ends).toEqual([]);
  });

  test('by what others send under its name', async () => {
    const made = await session();
    made.client.push(words(1));
    await eventually(() => made.received().length === 1);
    publish(connection.bus, made.out, { session: 'another', sequence: 9, processed: 0, chunks: [delta('foreign')] });
    made.answer([delta('own')]);
    await eventually(() => textOf(made.output) === 'own');
    expect(made.ends).toEqual([]);
  });
});

describe('dropped', () => {
  test('the session is over at both ends: nothing more comes out, and nobody is told of an end', async () => {
    const made = await session();
    made.client.push(words(1));
    made.client.drop();
    await eventually(() => made.inputs.some(({ drop }) => drop));
    made.answer([delta('late')]);
    made.finish();
    made.client.push(words(1));
    await made.settle();
    expect(made.output).toEqual([]);
    expect(made.ends).toEqual([]);
  });
});
