// Losses of a stream session at the orchestrator: every violation of the protocol by a replica, by name.
import { SESSION_LIMITS } from '@millrace/contracts';
import { publish } from '@millrace/bus';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { delta, makeText } from '../testing/chunks.ts';
import { RUN_ID } from '../testing/run-states.ts';
import { usePlayedSessions, words } from '../testing/session-replica.ts';
import { makeChunk } from '../transcript/make-chunk.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const session = usePlayedSessions(connection);
const payloads: Record<string, object> = {
  finish: { stepResult: { reason: 'stop' }, output: {}, messages: [] },
  error: { error: 'x' },
  tripwire: { reason: 'x' },
  retract: { index: 0 },
  suspended: { resumeToken: 'x', expiresAt: 'x' },
};
const controlChunk = (type: string) => makeChunk(RUN_ID, { type, payload: payloads[type] ?? {} });

describe('a session is lost', () => {
  const awaitLoss = (code: string) => ({ lost: expect.objectContaining({ code }) });

  test('by a gap in the answers’ numbers, at once, and the replica is notified', async () => {
    const made = await session();
    made.client.push(words(1));
    made.send({ sequence: 1, chunks: [delta('unguarded?')] });
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toEqual([awaitLoss('session-lost')]);
    expect(made.output).toEqual([]);
    await eventually(() => made.inputs.some(({ drop }) => drop));
  });

  test('by a flood: more bytes than the longest answer has, whatever the chunks are', async () => {
    const made = await session({ timeoutMs: 60_000 });
    made.client.push(words(1));
    await eventually(() => made.received().length === 1);
    const large = makeChunk(RUN_ID, { type: 'data-flood', payload: { text: 'x'.repeat(6 * 1024 * 1024) } });
    for (let count = 1; count <= 11; count++) {
      made.send({ chunks: [large] });
      // The heartbeats of the replica must pass between the large messages.
      // oxlint-disable-next-line no-await-in-loop -- one message at a time
      await eventually(() => made.output.length === count || made.ends.length === 1, { timeoutMs: 30_000 });
    }
    expect(made.ends).toEqual([awaitLoss('processor-failed')]);
    expect(made.output).toHaveLength(10);
  }, 60_000);

  test('by a repeated answer', async () => {
    const made = await session();
    made.client.push(words(1));
    await eventually(() => made.received().length === 1);
    made.send({ sequence: 0, chunks: [delta('a')] });
    made.send({ sequence: 0, chunks: [delta('a')] });
    await eventually(() => made.ends.length === 1);
    expect(makeText(made.output)).toBe('a');
  });

  test('by silence', async () => {
    const started = performance.now();
    const made = await session();
    await eventually(() => made.ends.length === 1, { timeoutMs: SESSION_LIMITS.silenceMs + 2_000 });
    expect(made.ends).toEqual([awaitLoss('session-lost')]);
    expect(performance.now() - started).toBeGreaterThanOrEqual(SESSION_LIMITS.silenceMs);
  }, 10_000);

  test('by a replica that has left the bus, before its silence would show it', async () => {
    const made = await session();
    const started = performance.now();
    made.leave();
    await eventually(() => made.ends.length === 1, { timeoutMs: SESSION_LIMITS.silenceMs + 2_000 });
    expect(made.ends).toEqual([{ lost: { code: 'session-lost', message: 'The replica went away.' } }]);
    expect(performance.now() - started).toBeLessThan(SESSION_LIMITS.silenceMs);
  }, 10_000);

  test('by chunks that are not processed in time, although the replica is alive', async () => {
    const made = await session({ timeoutMs: 700 });
    // A heartbeat that reports no progress.
    const stuck = setInterval(() => made.send({ processed: 0 }), 200);
    made.client.push(words(1));
    await eventually(() => made.ends.length === 1);
    clearInterval(stuck);
    expect(made.ends).toEqual([awaitLoss('processor-timeout')]);
  });

  test('by chunks that are only counted and were never sent: a count alone keeps no session alive', async () => {
    const made = await session({ timeoutMs: 700 });
    let counted = 0;
    const counting = setInterval(() => made.send({ processed: (counted += 100) }), 200);
    made.client.push(words(1));
    made.client.end();
    await eventually(() => made.ends.length === 1);
    clearInterval(counting);
    expect(made.ends).toEqual([awaitLoss('processor-timeout')]);
  });

  test.each(['start', 'finish', 'error', 'tripwire', 'abort', 'retract', 'suspended', 'resumed'])(
    'by a %s chunk in its output, because only the orchestrator creates those',
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

  test('by output before any input', async () => {
    const made = await session();
    made.answer([delta('from nowhere')]);
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toEqual([awaitLoss('processor-failed')]);
    expect(made.output).toEqual([]);
  });

  test('by an invalid batch, named as such and not as a missing number', async () => {
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
    expect(made.ends).toEqual([awaitLoss('processor-timeout')]);
  });

  test('before a listener exists too: a later listener receives the loss', async () => {
    const made = await session({ started: false });
    made.send({ sequence: 1 });
    await made.settle();
    made.start();
    expect(made.ends).toEqual([awaitLoss('session-lost')]);
  });

  test('once, whatever follows', async () => {
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
  test('by waiting for a slow model: both ends send heartbeats', async () => {
    const made = await session({ timeoutMs: 500 });
    const quiet = made.sendHeartbeats();
    await eventually(() => made.inputs.length >= 3, { timeoutMs: 4_000 });
    quiet();
    expect(made.ends).toEqual([]);
    expect(made.received()).toEqual([]);
  });

  test('by waiting for the step’s other sessions to be opened: it sends heartbeats before it is started', async () => {
    const made = await session({ started: false });
    const quiet = made.sendHeartbeats();
    await eventually(() => made.inputs.length >= 2, { timeoutMs: 4 * SESSION_LIMITS.heartbeatMs });
    quiet();
    expect(made.received()).toEqual([]);
    made.start();
    expect(made.ends).toEqual([]);
  });

  test('by a batch of an older replica that announces its stop: the announcement is ignored', async () => {
    const made = await session();
    made.client.push(words(1));
    await eventually(() => made.received().length === 1);
    made.send({ closing: true, chunks: [delta('still served')] });
    await eventually(() => makeText(made.output) === 'still served');
    made.client.end();
    await eventually(() => made.inputs.some(({ end }) => end));
    made.finish();
    await eventually(() => made.ends.length === 1);
    expect(made.ends).toEqual([{ verdicts: [{ type: 'continue' }], ms: [1] }]);
  });

  test('by messages that others send under its name', async () => {
    const made = await session();
    made.client.push(words(1));
    await eventually(() => made.received().length === 1);
    publish(connection.bus, made.out, { session: 'another', sequence: 9, processed: 0, chunks: [delta('foreign')] });
    made.answer([delta('own')]);
    await eventually(() => makeText(made.output) === 'own');
    expect(made.ends).toEqual([]);
  });
});
