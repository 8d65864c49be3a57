// A hostile processor: its return values, errors and bus messages must not pass the guards of its agent and must end
// only its own run.
import type { Chunk } from '@millrace/contracts';
import {
  defineMethods,
  defineProcessor,
  eventually,
  makeOpened,
  makeReply,
  type ScriptedWire,
  serveWire,
  useBus,
  useNats,
  useProcessors,
  useStack,
} from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { applying } from './apply-agent.ts';
import { collect, formatWithoutIds, joinText } from './collect.ts';
import { escapeScript } from './hostile/escape-text.ts';

const CARD = '4111 1111 1111 1111';

const nats = useNats();
const bus = useBus(nats, 'hostile', { role: 'developer' });
const chunk = (type: string, payload: object): object => ({ type, runId: 'another-run', from: 'AGENT', payload });

/** Replaces the first text delta by the chunk of `kind`. */
const forger = defineProcessor({
  id: 'forger',
  description: 'adds forged chunks to the stream',
  stages: ['processOutputStream'],
  reads: [],
  options: z.strictObject({ kind: z.string() }),
  create: ({ kind }) => ({
    id: 'forger',
    processOutputStream: async ({ part }) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a processor without types can return it
      if (part.type === 'text-delta' && kind !== 'empty') return [part, FORGED[kind]] as Chunk[];
      return part.type === 'finish' && kind === 'empty' ? [] : part;
    },
  }),
});
const FORGED: Record<string, object> = {
  start: chunk('start', {}),
  retract: chunk('retract', { index: 0 }),
  abort: chunk('abort', { reason: 'forged' }),
  tripwire: chunk('tripwire', { reason: 'forged' }),
  error: chunk('error', { error: { code: 'internal', message: 'forged' } }),
  finish: chunk('finish', { stepResult: { reason: 'stop' }, output: {}, messages: [] }),
  suspended: chunk('suspended', { resumeToken: 'x', expiresAt: '2030-01-01T00:00:00.000Z' }),
};

/** Stops at a stage with words of the model or of the caller. */
const parrot = defineProcessor({
  id: 'parrot',
  description: 'repeats its input in the text of a verdict',
  stages: ['processOutputStep', 'processToolResult'],
  reads: ['input', 'response'],
  options: z.strictObject({ as: z.enum(['abort', 'halt', 'data', 'throw', 'reject']) }),
  create: ({ as }) => ({
    id: 'parrot',
    processOutputStep: async ({ text, abort, halt, writer }) => {
      if (as === 'abort') abort(`The model said: ${text}`);
      if (as === 'halt') halt(`It said ${text}`);
      if (as === 'throw') throw new Error(`cannot judge ${text}`);
      if (as === 'data') await writer.custom({ type: 'data-said', data: { text } });
    },
    processToolResult: ({ result, abort }) => {
      if (as === 'reject') abort(`rejected ${JSON.stringify(result)}`);
    },
  }),
});

/** Returns complete members that it did not read. */
const blind = defineMethods('blind', { processInputStep: () => ({ tools: {} }) });

/** A write without an await. */
const careless = defineMethods('careless', {
  processInput: ({ writer }) => {
    void writer.custom({ type: 'data-big', data: 'x'.repeat(20 * 1024 * 1024) });
  },
});

useProcessors(nats, [forger, parrot, blind, careless]);
const stack = useStack(nats, ['orchestrator', 'guardrails', 'tools'], undefined, { processes: 'all' });

const agent = applying(stack);
const saying = (text: string, ...more: object[]) => escapeScript([{ text }, ...more], text);
/** Checks that the service still serves after the failed run. */
async function expectServing() {
  const run = await stack.client.start(await agent('plain', {}), escapeScript([{ text: 'still here' }]));
  expect(await run.result()).toMatchObject({ status: 'finished', text: 'still here' });
}

describe('a hostile stream processor', () => {
  test.concurrent.each(Object.keys(FORGED))(
    'a processor that creates a %s chunk fails its run, and no client receives the chunk',
    async (kind) => {
      const run = await stack.client.start(
        await agent(`forge-${kind}`, { output: [{ use: 'forger', options: { kind } }] }),
        saying('hello world'),
      );
      const chunks = await collect(run);
      expect(chunks.at(-1)).toMatchObject({
        type: 'error',
        payload: { error: { path: 'processOutputStream/forger' } },
      });
      expect(JSON.stringify(chunks)).not.toContain('forged');
      expect(chunks.filter(({ type }) => type === 'start')).toHaveLength(1);
      expect(await run.result()).toMatchObject({ status: 'failed' });
    },
  );

  test('a processor that answers the finish with an empty array drops it: the run fails without another finish', async () => {
    const run = await stack.client.start(
      await agent('forge-empty', { output: [{ use: 'forger', options: { kind: 'empty' } }] }),
      saying('hello'),
    );
    expect((await collect(run)).at(-1)?.type).toBe('error');
    expect(await run.result()).toMatchObject({ status: 'failed', error: { path: 'processOutputStream/forger' } });
  });
});

describe('words of a processor', () => {
  test.concurrent.each([
    ['the reason of an abort', 'abort', 'aborted'],
    ['the text of a halt', 'halt', 'finished'],
    ['a data chunk', 'data', 'finished'],
    ['an exception', 'throw', 'failed'],
  ])('words of a processor pass the guards of the output list: %s', async (_name, as, status) => {
    const run = await stack.client.start(
      await agent(`parrot-${as}`, { output: [{ use: 'parrot', options: { as } }, 'pii'] }),
      saying(`my card is ${CARD}`),
    );
    const chunks = await collect(run);
    const result = await run.result();
    expect(result.status).toBe(status);
    expect(JSON.stringify([chunks, result])).not.toContain('1111 1111');
  });

  test('words about a rejected tool result reveal it in no stream, result or step', async () => {
    const name = await agent('parrot-reject', {
      tools: ['calculator'],
      output: [{ use: 'parrot', options: { as: 'reject' } }],
    });
    const call = { toolCalls: [{ name: 'calculator', args: { expression: '123456 + 654321' } }] };
    const run = await stack.client.start(name, escapeScript([call, { text: 'done' }], '123456 + 654321'));
    const chunks = await collect(run);
    const { tripwire, ...result } = await run.result();
    expect(tripwire?.processorId).toBe('parrot');
    expect(JSON.stringify([chunks.filter(({ type }) => type !== 'tripwire'), result])).not.toContain('777777');
  });
});

describe('a processor that returns too much', () => {
  test('a processor cannot replace the tools that it did not read', async () => {
    const run = await stack.client.start(
      await agent('blind', { input: ['blind'], tools: ['calculator'] }),
      saying('hi'),
    );
    expect(await run.result()).toMatchObject({
      status: 'failed',
      error: { code: 'processor-verdict-refused', path: 'processInputStep/blind' },
    });
  });

  test('a processor that does not await its write ends its own call, not its replica', async () => {
    const run = await stack.client.start(await agent('careless', { input: ['careless'] }), saying('hi'));
    await run.result();
    await expectServing();
    const again = await stack.client.start(
      await agent('after', { output: [{ use: 'parrot', options: { as: 'data' } }] }),
      saying('ok'),
    );
    expect(await again.result()).toMatchObject({ status: 'finished' });
  });
});

describe('a replica in another language', () => {
  let served: { stop(): Promise<void> };
  const nested = `${'{"a":'.repeat(4_000)}1${'}'.repeat(4_000)}`;
  const verdict = { type: 'continue' };
  const input: Record<string, (wire: ScriptedWire) => object | string> = {
    'raw-coded': (wire) =>
      makeReply(wire, { type: 'failure', code: 'store-unavailable', message: `secret ${CARD}`, retryable: false }),
    'raw-invented': (wire) =>
      makeReply(wire, { type: 'failure', code: `code-${CARD}`, message: 'odd', retryable: false }),
    'raw-twice': (wire) => makeReply(wire, verdict, { verdicts: [verdict, verdict, verdict], ms: [0, 0, 0] }),
    'raw-huge': (wire) => makeReply(wire, { type: 'abort', reason: 'r'.repeat(2 * 1024 * 1024) }),
    'raw-deep': ({ replica }) =>
      `{"sequence":0,"ms":[0],"replica":"${replica}","verdicts":[{"type":"continue","state":${nested}}]}`,
    'raw-garbage': () => 'not json at all',
    'raw-nothing': () => ({}),
  };
  const streams: Record<string, (wire: ScriptedWire) => object> = {
    'raw-subject': (wire) => makeOpened(wire, { subject: 'a b' }),
    'raw-control': (wire) => makeOpened(wire, { subject: 'x'.repeat(70_000) }),
    'raw-api': (wire) => makeOpened(wire, { subject: '$JS.API.STREAM.DELETE.mr_v1_RUNS' }),
    'raw-tokens': (wire) => makeOpened(wire, { replica: 'a.b >' }),
  };

  beforeAll(async () => {
    const answering = (stage: 'processInput' | 'processOutputStream', answers: typeof input) =>
      Object.entries(answers).map(([id, answer]) => ({
        id,
        stage,
        call: (_call: object, wire: ScriptedWire) => wire.reply(answer(wire)),
      }));
    served = await serveWire(await bus.connect({ name: 'raw-service' }), [
      ...answering('processInput', input),
      ...answering('processOutputStream', streams),
    ]);
    await eventually(async () => (await stack.listDiscovered()).includes('raw-service'));
  });
  afterAll(() => served.stop());

  test.concurrent.each([
    ['raw-coded', 'a failure with a secret in its message', /./],
    ['raw-invented', 'an unknown code', /^processor-failed$/],
    ['raw-twice', 'more verdicts than entries', /./],
    ['raw-deep', 'state that is nested 4,000 deep', /^(message-invalid|processor-failed|processor-verdict-refused)$/],
    ['raw-garbage', 'no JSON', /^(message-invalid|processor-failed)$/],
    ['raw-nothing', 'no verdict', /^(message-invalid|processor-failed|processor-not-there)$/],
  ])('%s fails its run alone: %s', async (id, _name, code) => {
    const started = Date.now();
    const run = await stack.client.start(
      await agent(id, { input: [id], output: [{ use: 'pii', options: { strict: true } }] }),
      saying('hi'),
    );
    const chunks = await collect(run);
    const result = await run.result();
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: expect.stringMatching(code), path: `processInput/${id}` },
    });
    expect(formatWithoutIds([chunks, result])).not.toContain('4111');
    expect(Date.now() - started).toBeLessThan(10_000);
    await expectServing();
  });

  test('raw-huge: the orchestrator cuts a reason of 2 MB', async () => {
    const run = await stack.client.start(await agent('raw-huge', { input: ['raw-huge'] }), saying('hi'));
    const { tripwire } = await run.result();
    expect(tripwire?.reason.length).toBeLessThan(20_000);
    await expectServing();
  });

  test.concurrent.each(Object.keys(streams))(
    '%s: the orchestrator does not use a subject in its answer',
    async (id) => {
      const run = await stack.client.start(await agent(id, { output: [id] }), saying('unguarded words'));
      const chunks = await collect(run);
      expect(joinText(chunks)).toBe('');
      expect(chunks.at(-1)?.type).toBe('error');
      await expectServing();
    },
  );
});
