// Runs over a real NATS server, from the submission to the result. The orchestrator is a scripted stand-in.
import { MillraceError, type Chunk } from '@millrace/contracts';
import { createCollectedLog, eventually, useBus, useNats, serveScriptedApi, type ScriptedApi } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect, type Client } from './client.ts';

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

const textOf = async (stream: AsyncIterable<Chunk>) => {
  let text = '';
  for await (const chunk of stream) text += chunk.type === 'text-delta' ? chunk.payload.text : `<${chunk.type}>`;
  return text;
};

describe('a run that is started here', () => {
  test('streams to every reader, early and late, and has a result', async () => {
    const run = await client.start('echo', 'hi', { threadId: 't1' });
    const early = textOf(run.fullStream);
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'Hello there' });
    expect([await early, await textOf(run.fullStream)]).toEqual(['Hello there<finish>', 'Hello there<finish>']);
    let streamed = '';
    for await (const text of run.textStream) streamed += text;
    expect(streamed).toBe('Hello there');
    expect(await run.status()).toBe('finished');
    expect(api.runs.get(run.runId)?.request).toMatchObject({ agent: 'echo', threadId: 't1', tenant: 'default' });
  });

  test('needs no replay where nothing was lost', async () => {
    const run = await client.start('echo', 'hi');
    await run.result();
    expect(api.asked.filter((asked) => asked === `replay ${run.runId}`)).toEqual([]);
  });

  test('has every chunk, in order, though live messages were lost', async () => {
    const run = await client.start('lossy', 'hi');
    expect(await textOf(run.fullStream)).toBe('abcdef<finish>');
  });

  test('shows a retract in its place, and positions to count by', async () => {
    const run = await client.start('retried', 'hi');
    expect(await textOf(run.fullStream)).toBe('bad<retract>good<finish>');
    const indexes: number[] = [];
    for await (const { index } of run.positions) indexes.push(index);
    expect(indexes).toEqual([0, 1, 2, 3]);
  });

  test('goes on with a new owner, whose first chunk takes back what the old one said beyond its base', async () => {
    const run = await client.start('taken', 'hi');
    expect(await textOf(run.fullStream)).toBe('abc<retract>B<finish>');
  });

  test('is cancelled by `cancel`, also from another client', async () => {
    const run = await client.start('patient', 'hi');
    const other = await connect({ url: nats.url });
    expect(await other.runs.cancel(run.runId)).toBe('running');
    await other.close();
    expect(await run.result()).toMatchObject({ status: 'cancelled' });
  });

  test('is cancelled by its signal', async () => {
    const controller = new AbortController();
    const run = await client.start('patient', 'hi', { signal: controller.signal });
    for await (const text of run.textStream) if (text === 'thinking') controller.abort();
    expect(await run.result()).toMatchObject({ status: 'cancelled' });
  });

  test('that is blocked is a result, not an error', async () => {
    expect(await client.generate('blocked', 'hi')).toMatchObject({ status: 'aborted', tripwire: { reason: 'no' } });
  });

  test('that nobody takes yet is submitted again until somebody does, and says so once', async () => {
    const log = createCollectedLog();
    const starting = await connect({ url: nats.url, prefix: 'restarted.v1', log });
    const started = starting.start('late', 'hi');
    await eventually(() => log.lines.some(({ message }) => message.endsWith('is tried again')));
    const bus = await service.connect({ prefix: 'restarted.v1' });
    const late = serveScriptedApi(bus, { agents: { late: (run) => run.finish('here now') } });
    expect(await (await started).result()).toMatchObject({ status: 'finished', text: 'here now' });
    expect(log.lines.filter(({ message }) => message.endsWith('is tried again'))).toHaveLength(1);
    await starting.close();
    await late.stop();
  });

  test('that nobody takes is given up at once by its signal', async () => {
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

  test('is the same run when it is submitted again with its id', async () => {
    const first = await client.start('echo', 'hi', { runId: 'mine' });
    await first.result();
    const again = await client.start('echo', 'hi', { runId: 'mine' });
    expect(await textOf(again.fullStream)).toBe('Hello there<finish>');
    expect(api.asked.filter((asked) => asked === 'submit mine')).toHaveLength(2);
  });
});

describe('a run that is followed', () => {
  test('late has all that was said, over several pages', async () => {
    const started = await client.start('lossy', 'hi');
    await started.result();
    const run = await client.follow(started.runId);
    expect(await textOf(run.fullStream)).toBe('abcdef<finish>');
    expect(await run.result()).toMatchObject({ text: 'abcdef' });
  });

  test('in its middle has what was said before and what comes after, once', async () => {
    const started = await client.start('patient', 'hi');
    await eventually(() => api.runs.get(started.runId));
    const run = await client.follow(started.runId);
    const read = textOf(run.fullStream);
    await run.cancel();
    expect(await read).toBe('thinking<abort>');
  });

  test('goes on from a position', async () => {
    const started = await client.start('lossy', 'hi');
    await started.result();
    const run = await client.follow(started.runId, { from: { epoch: 1, index: 4 } });
    expect(await textOf(run.fullStream)).toBe('ef<finish>');
  });

  test('and that nobody knows is an error of its stream and of its result', async () => {
    const run = await client.follow('nobody-knows-it');
    await expect(textOf(run.fullStream)).rejects.toMatchObject({ code: 'run-unknown' });
    await expect(run.result()).rejects.toMatchObject({ code: 'run-unknown' });
  });

  test('is left by its signal; the run goes on', async () => {
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

describe('what cannot be', () => {
  test('is a coded error of start: an unknown agent, with the remedy', async () => {
    await expect(client.start('nobody', 'hi')).rejects.toMatchObject({
      code: 'agent-unknown',
      remedy: expect.stringContaining('agents apply'),
    });
  });

  test('is found before anything is sent: an input over the limit, an id that is no token', async () => {
    await expect(client.start('echo', 'x'.repeat(9_000_000))).rejects.toMatchObject({ code: 'message-too-large' });
    await expect(client.start('echo', 'hi', { runId: 'no spaces' })).rejects.toMatchObject({ code: 'token-invalid' });
  });

  test('leaves nothing behind: a start that was given up before it began', async () => {
    const asked = api.asked.length;
    await expect(client.start('echo', 'hi', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(api.asked).toHaveLength(asked);
  });

  test('ends with the connection: readers are told', async () => {
    const other = await connect({ url: nats.url });
    const run = await other.start('patient', 'hi');
    const read = textOf(run.fullStream);
    const result = run.result();
    await Promise.all([
      expect(read).rejects.toMatchObject({ code: 'cancelled' }),
      expect(result).rejects.toBeInstanceOf(MillraceError),
      other.close(),
    ]);
    await client.runs.cancel(run.runId);
  });

  test('is said with the address: nobody listens there', async () => {
    await expect(connect({ env: { NATS_URL: 'nats://user:secret@127.0.0.1:9' } })).rejects.toMatchObject({
      code: 'bus-unreachable',
      message: expect.not.stringContaining('secret'),
    });
    await expect(connect({ env: { NATS_URL: 'nats://127.0.0.1:9' } })).rejects.toThrow(/127\.0\.0\.1:9.*NATS_URL/);
  });
});
