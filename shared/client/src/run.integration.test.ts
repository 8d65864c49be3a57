// Tests runs over a real NATS server, from the submission to the result. The orchestrator is a scripted stand-in.
import { serveApi } from '@millrace/bus';
import { MillraceError, type Chunk, type ErrorCode } from '@millrace/contracts';
import { createCollectedLog, eventually, useBus, useNats, serveScriptedApi, type ScriptedApi } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from './client.ts';
import type { Client } from './client-api.ts';

const nats = useNats();
const service = useBus(nats, 'orchestrator');
let api: ScriptedApi;
let client: Client;

beforeAll(async () => {
  api = serveScriptedApi(service.bus, {
    page: 3,
    agents: {
      echo: (run) => {
        run.say(run.text('Hello '), run.text('there'));
        run.finish('Hello there');
      },
      lossy: (run) => {
        run.say(run.text('a'));
        run.lose(run.text('b'), run.text('c'), run.text('d'), run.text('e'));
        run.say(run.text('f'));
        run.finish('abcdef');
      },
      taken: (run) => {
        run.say(run.text('a'), run.text('b'), run.text('c'));
        run.takeOver(1);
        run.say(run.text('B'));
        run.finish('aB');
      },
      retried: (run) => {
        run.say(run.text('bad'));
        run.say({ type: 'retract', runId: run.request.runId, from: 'SYSTEM', payload: { index: 0 } }, run.text('good'));
        run.finish('good');
      },
      patient: async (run) => {
        run.say(run.text('thinking'));
        await run.cancelAsked;
        run.end('cancelled', { type: 'abort', runId: run.request.runId, from: 'AGENT', payload: {} });
      },
      blocked: (run) => {
        const tripwire = { reason: 'no', processorId: 'pii' };
        run.end(
          'aborted',
          { type: 'tripwire', runId: run.request.runId, from: 'AGENT', payload: tripwire },
          { tripwire },
        );
      },
    },
  });
  client = await connect({ url: nats.url });
});
afterAll(async () => {
  await client.close();
  await api.stop();
});

const collectText = async (stream: AsyncIterable<Chunk>) => {
  let text = '';
  for await (const chunk of stream) text += chunk.type === 'text-delta' ? chunk.payload.text : `<${chunk.type}>`;
  return text;
};

test('A call of a closed client is rejected with a code', async () => {
  const closed = await connect({ url: nats.url });
  await closed.close();
  await expect(closed.start('demo', 'hi')).rejects.toMatchObject({
    code: 'cancelled',
    message: 'The client is closed.',
  });
  await expect(closed.agents.list()).rejects.toMatchObject({ code: 'cancelled' });
});

describe('a started run', () => {
  test('A run streams to every reader, early and late, and has a result', async () => {
    const run = await client.start('echo', 'hi', { threadId: 't1' });
    const early = collectText(run.fullStream);
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'Hello there' });
    expect([await early, await collectText(run.fullStream)]).toEqual(['Hello there<finish>', 'Hello there<finish>']);
    let streamed = '';
    for await (const text of run.textStream) streamed += text;
    expect(streamed).toBe('Hello there');
    expect(await run.status()).toBe('finished');
    expect(api.runs.get(run.runId)?.request).toMatchObject({ agent: 'echo', threadId: 't1', tenant: 'default' });
  });

  test('A run needs no replay if no message was lost', async () => {
    const run = await client.start('echo', 'hi');
    await run.result();
    expect(api.asked.filter((asked) => asked === `replay ${run.runId}`)).toEqual([]);
  });

  test('A run yields every chunk in order after live messages were lost', async () => {
    const run = await client.start('lossy', 'hi');
    expect(await collectText(run.fullStream)).toBe('abcdef<finish>');
  });

  test('A run yields a retract in its position, and the positions of chunks', async () => {
    const run = await client.start('retried', 'hi');
    expect(await collectText(run.fullStream)).toBe('bad<retract>good<finish>');
    const indexes: number[] = [];
    for await (const { index } of run.positions) indexes.push(index);
    expect(indexes).toEqual([0, 1, 2, 3]);
  });

  test("A run continues with a new owner, which first retracts the old owner's chunks beyond its base", async () => {
    const run = await client.start('taken', 'hi');
    expect(await collectText(run.fullStream)).toBe('abc<retract>B<finish>');
  });

  test('`cancel` cancels a run, also from another client', async () => {
    const run = await client.start('patient', 'hi');
    const other = await connect({ url: nats.url });
    expect(await other.runs.cancel(run.runId)).toBe('running');
    await other.close();
    expect(await run.result()).toMatchObject({ status: 'cancelled' });
  });

  test('The signal cancels a run', async () => {
    const controller = new AbortController();
    const run = await client.start('patient', 'hi', { signal: controller.signal });
    for await (const text of run.textStream) if (text === 'thinking') controller.abort();
    expect(await run.result()).toMatchObject({ status: 'cancelled' });
  });

  test('A blocked run has a result instead of an error', async () => {
    expect(await client.generate('blocked', 'hi')).toMatchObject({ status: 'aborted', tripwire: { reason: 'no' } });
  });

  test('A run without responders is submitted again until an orchestrator accepts it, with one log line', async () => {
    const log = createCollectedLog();
    const starting = await connect({ url: nats.url, prefix: 'restarted.v1', log });
    const started = starting.start('late', 'hi');
    await eventually(() => log.lines.some(({ message }) => message.startsWith('retrying ')));
    const bus = await service.connect({ prefix: 'restarted.v1' });
    const late = serveScriptedApi(bus, { agents: { late: (run) => run.finish('here now') } });
    expect(await (await started).result()).toMatchObject({ status: 'finished', text: 'here now' });
    expect(log.lines.filter(({ message }) => message.startsWith('retrying '))).toHaveLength(1);
    await starting.close();
    await late.stop();
  });

  test('The signal ends the submission of a run without responders at once', async () => {
    const log = createCollectedLog();
    const other = await connect({ url: nats.url, prefix: 'nobody.v1', log });
    const controller = new AbortController();
    const giveUp = async () => {
      await eventually(() => log.lines.length > 0);
      controller.abort();
    };
    await Promise.all([
      expect(other.start('late', 'hi', { signal: controller.signal })).rejects.toMatchObject({ code: 'cancelled' }),
      giveUp(),
    ]);
    await other.close();
  });

  test('A refused run is cancelled if an earlier attempt may have been accepted', async () => {
    const bus = await service.connect({ prefix: 'refusing.v1' });
    const refuse = (code: ErrorCode) => Promise.reject(new MillraceError(code, 'refused'));
    const outcomes: ErrorCode[] = ['bus-unreachable', 'queue-full'];
    const cancelled: (string | undefined)[] = [];
    const serving = [
      serveApi(bus, 'submit', () => refuse(outcomes.shift() ?? 'internal')),
      serveApi(bus, 'cancel', (_request, { run }) => {
        cancelled.push(run);
        return refuse('run-unknown');
      }),
    ];
    const refused = await connect({ url: nats.url, prefix: 'refusing.v1' });
    await expect(refused.start('any', 'hi', { runId: 'unclear' })).rejects.toMatchObject({ code: 'queue-full' });
    await eventually(() => cancelled.length > 0);
    expect(cancelled).toEqual(['unclear']);
    outcomes.push('bus-unreachable', 'run-exists');
    await expect(refused.start('any', 'hi', { runId: 'of-another' })).rejects.toMatchObject({ code: 'run-exists' });
    outcomes.push('queue-full');
    await expect(refused.start('any', 'hi', { runId: 'clear' })).rejects.toMatchObject({ code: 'queue-full' });
    await refused.close();
    await Promise.all(serving.map((one) => one.drain(1_000)));
    expect(cancelled).toEqual(['unclear']);
  });

  test('A run that is submitted again with its id is the same run', async () => {
    const first = await client.start('echo', 'hi', { runId: 'mine' });
    await first.result();
    // Nothing precedes the subscription of the submission that has created the run.
    expect(api.asked.filter((asked) => asked === 'replay mine')).toEqual([]);
    const again = await client.start('echo', 'hi', { runId: 'mine' });
    expect(await collectText(again.fullStream)).toBe('Hello there<finish>');
    expect(api.asked.filter((asked) => asked === 'submit mine')).toHaveLength(2);
    expect(api.asked).toContain('replay mine');
  });
});

describe('a followed run', () => {
  test('A late follower receives all chunks over several pages', async () => {
    const started = await client.start('lossy', 'hi');
    await started.result();
    const run = await client.follow(started.runId);
    expect(await collectText(run.fullStream)).toBe('abcdef<finish>');
    expect(await run.result()).toMatchObject({ text: 'abcdef' });
  });

  test('A follower in the middle of a run receives earlier and later chunks once', async () => {
    const started = await client.start('patient', 'hi');
    await eventually(() => api.runs.get(started.runId));
    const run = await client.follow(started.runId);
    const read = collectText(run.fullStream);
    await run.cancel();
    expect(await read).toBe('thinking<abort>');
  });

  test('A follower resumes at a position', async () => {
    const started = await client.start('lossy', 'hi');
    await started.result();
    const run = await client.follow(started.runId, { from: { epoch: 1, index: 4 } });
    expect(await collectText(run.fullStream)).toBe('ef<finish>');
  });

  test('An unknown run is an error of its stream and of its result', async () => {
    const run = await client.follow('nobody-knows-it');
    await expect(collectText(run.fullStream)).rejects.toMatchObject({ code: 'run-unknown' });
    await expect(run.result()).rejects.toMatchObject({ code: 'run-unknown' });
  });

  test('The signal stops following; the run continues', async () => {
    const started = await client.start('patient', 'hi');
    const controller = new AbortController();
    const run = await client.follow(started.runId, { signal: controller.signal });
    await run.fullStream[Symbol.asyncIterator]().next();
    controller.abort();
    await expect(run.result()).rejects.toMatchObject({ code: 'cancelled' });
    expect(await started.status()).toBe('running');
    await started.cancel();
    await started.result();
  });
});

describe('invalid requests', () => {
  test('An unknown agent is a coded error of start, with the remedy', async () => {
    await expect(client.start('nobody', 'hi')).rejects.toMatchObject({
      code: 'agent-unknown',
      remedy: expect.stringContaining('agents apply'),
    });
  });

  test('An oversized input and an invalid id are detected before anything is sent', async () => {
    await expect(client.start('echo', 'x'.repeat(9_000_000))).rejects.toMatchObject({ code: 'message-too-large' });
    await expect(client.start('echo', 'hi', { runId: 'no spaces' })).rejects.toMatchObject({ code: 'token-invalid' });
  });

  test('A start with a fired signal leaves nothing behind', async () => {
    const asked = api.asked.length;
    await expect(client.start('echo', 'hi', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(api.asked).toHaveLength(asked);
  });

  test('Readers end with an error when the connection is closed', async () => {
    const other = await connect({ url: nats.url });
    const run = await other.start('patient', 'hi');
    const read = collectText(run.fullStream);
    const result = run.result();
    await Promise.all([
      expect(read).rejects.toMatchObject({ code: 'cancelled' }),
      expect(result).rejects.toBeInstanceOf(MillraceError),
      other.close(),
    ]);
    await client.runs.cancel(run.runId);
  });

  test('A connection error names the unreachable address', async () => {
    await expect(connect({ env: { NATS_URL: 'nats://user:secret@127.0.0.1:9' } })).rejects.toMatchObject({
      code: 'bus-unreachable',
      message: expect.not.stringContaining('secret'),
    });
    await expect(connect({ env: { NATS_URL: 'nats://127.0.0.1:9' } })).rejects.toThrow(/127\.0\.0\.1:9.*NATS_URL/);
  });
});
