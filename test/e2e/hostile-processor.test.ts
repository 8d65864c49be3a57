// A hostile processor: what it returns, throws or answers on the bus must neither get past the guards of its agent nor end anything but
// its own run.
import type { Chunk } from '@millrace/contracts';
import { defineProcessor, eventually, useBus, useNats, useProcessors, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { applying } from './apply-agent.ts';
import { collect, textOf } from './collect.ts';
import { judged, REPLICA, serveRaw } from './hostile/raw-replica.ts';
import { spelledScript } from './hostile/spelled.ts';

const CARD = '4111 1111 1111 1111';

const nats = useNats();
const bus = useBus(nats, 'hostile');
const noOptions = z.strictObject({});
const chunk = (type: string, payload: object): object => ({ type, runId: 'another-run', from: 'AGENT', payload });

/** In place of the first text delta it gives what `kind` says. */
const forger = defineProcessor({
  id: 'forger',
  description: 'puts chunks into the stream that are not its own',
  stages: ['processOutputStream'],
  reads: [],
  options: z.strictObject({ kind: z.string() }),
  create: ({ kind }) => ({
    id: 'forger',
    processOutputStream: async ({ part }) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a processor without types may return
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

/** Stops at a stage with words of the model's, or of the caller's. */
const parrot = defineProcessor({
  id: 'parrot',
  description: 'repeats what it read, in the words of a verdict',
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

/** Returns wholesale what it never read. */
const blind = defineProcessor({
  id: 'blind',
  description: 'replaces what it did not read',
  stages: ['processInputStep'],
  reads: [],
  options: noOptions,
  create: () => ({ id: 'blind', processInputStep: () => ({ tools: {} }) }),
});

/** A write that nobody waits for. */
const careless = defineProcessor({
  id: 'careless',
  description: 'writes a chunk that cannot travel, and does not wait',
  stages: ['processInput'],
  reads: [],
  options: noOptions,
  create: () => ({
    id: 'careless',
    processInput: ({ writer }) => {
      void writer.custom({ type: 'data-big', data: 'x'.repeat(20 * 1024 * 1024) });
    },
  }),
});

useProcessors(nats, [forger, parrot, blind, careless]);
const stack = useStack(nats, ['orchestrator', 'guardrails', 'tools']);

const agent = applying(stack);
const saying = (text: string, ...more: object[]) => spelledScript([{ text }, ...more], text);
/** Nothing of one run has ended anybody. */
async function stillServing() {
  const run = await stack.client.start(await agent('plain', {}), spelledScript([{ text: 'still here' }]));
  expect(await run.result()).toMatchObject({ status: 'finished', text: 'still here' });
}

describe('a stream processor', () => {
  test.each(Object.keys(FORGED))('that makes a %s chunk fails its run; the chunk reaches nobody', async (kind) => {
    const run = await stack.client.start(
      await agent(`forge-${kind}`, { output: [{ use: 'forger', options: { kind } }] }),
      saying('hello world'),
    );
    const chunks = await collect(run);
    expect(chunks.at(-1)).toMatchObject({ type: 'error', payload: { error: { path: 'processOutputStream/forger' } } });
    expect(JSON.stringify(chunks)).not.toContain('forged');
    expect(chunks.filter(({ type }) => type === 'start')).toHaveLength(1);
    expect(await run.result()).toMatchObject({ status: 'failed' });
  });

  test('that answers the finish with an empty array has dropped it: the run fails, no other finish is made', async () => {
    const run = await stack.client.start(
      await agent('forge-empty', { output: [{ use: 'forger', options: { kind: 'empty' } }] }),
      saying('hello'),
    );
    expect((await collect(run)).at(-1)?.type).toBe('error');
    expect(await run.result()).toMatchObject({ status: 'failed', error: { path: 'processOutputStream/forger' } });
  });
});

describe("a processor's words", () => {
  test.each([
    ['the reason of an abort', 'abort', 'aborted'],
    ['the text of a halt', 'halt', 'finished'],
    ['a data chunk', 'data', 'finished'],
    ['an exception', 'throw', 'failed'],
  ])('pass the guards of the output list: %s', async (_name, as, status) => {
    const run = await stack.client.start(
      await agent(`parrot-${as}`, { output: [{ use: 'parrot', options: { as } }, 'pii'] }),
      saying(`my card is ${CARD}`),
    );
    const chunks = await collect(run);
    const result = await run.result();
    expect(result.status).toBe(status);
    expect(JSON.stringify([chunks, result])).not.toContain('1111 1111');
  });

  test('about a rejected tool result show it nowhere: not in the stream, the result, or a step', async () => {
    const name = await agent('parrot-reject', {
      tools: ['calculator'],
      output: [{ use: 'parrot', options: { as: 'reject' } }],
    });
    const call = { toolCalls: [{ name: 'calculator', args: { expression: '123456 + 654321' } }] };
    const run = await stack.client.start(name, spelledScript([call, { text: 'done' }], '123456 + 654321'));
    const chunks = await collect(run);
    const { tripwire, ...result } = await run.result();
    expect(tripwire?.processorId).toBe('parrot');
    expect(JSON.stringify([chunks.filter(({ type }) => type !== 'tripwire'), result])).not.toContain('777777');
  });
});

describe('a processor that gives more than it may', () => {
  test('cannot replace the tools that it did not read', async () => {
    const run = await stack.client.start(
      await agent('blind', { input: ['blind'], tools: ['calculator'] }),
      saying('hi'),
    );
    expect(await run.result()).toMatchObject({
      status: 'failed',
      error: { code: 'processor-verdict-refused', path: 'processInputStep/blind' },
    });
  });

  test('and does not wait for its write ends its own call, not its replica', async () => {
    const run = await stack.client.start(await agent('careless', { input: ['careless'] }), saying('hi'));
    await run.result();
    await stillServing();
    const again = await stack.client.start(
      await agent('after', { output: [{ use: 'parrot', options: { as: 'data' } }] }),
      saying('ok'),
    );
    expect(await again.result()).toMatchObject({ status: 'finished' });
  });
});

describe('a replica in another language', () => {
  let stop: () => void;
  const nested = `${'{"a":'.repeat(4_000)}1${'}'.repeat(4_000)}`;
  const opened = (more: object) => ({ opened: true, replica: REPLICA, service: 'raw-service', served: 1, ...more });
  const verdict = { type: 'continue' };
  const input: Record<string, (call: Record<string, unknown>) => object | string> = {
    'raw-coded': () =>
      judged({ type: 'failure', code: 'store-unavailable', message: `secret ${CARD}`, retryable: false }),
    'raw-invented': () => judged({ type: 'failure', code: `code-${CARD}`, message: 'odd', retryable: false }),
    'raw-twice': () => judged(verdict, verdict, verdict),
    'raw-huge': () => judged({ type: 'abort', reason: 'r'.repeat(2 * 1024 * 1024) }),
    'raw-deep': () =>
      `{"sequence":0,"ms":[0],"replica":"${REPLICA}","verdicts":[{"type":"continue","state":${nested}}]}`,
    'raw-garbage': () => 'not json at all',
    'raw-nothing': () => ({}),
  };
  const streams: Record<string, () => object> = {
    'raw-subject': () => opened({ subject: 'a b' }),
    'raw-control': () => opened({ subject: 'x'.repeat(70_000) }),
    'raw-api': () => opened({ subject: '$JS.API.STREAM.DELETE.mr_v1_RUNS' }),
    'raw-tokens': () => opened({ replica: 'a.b >' }),
  };

  beforeAll(async () => {
    stop = await serveRaw(bus.bus, 'raw-service', [
      ...Object.entries(input).map(([id, answer]) => ({ id, stages: { processInput: answer } })),
      ...Object.entries(streams).map(([id, answer]) => ({ id, stages: { processOutputStream: answer } })),
    ]);
    await eventually(async () => (await stack.discovered()).includes('raw-service'));
  });
  afterAll(() => stop());

  test.each([
    ['raw-coded', 'a failure whose message holds a secret', /./],
    ['raw-invented', 'a code that nobody knows', /^processor-failed$/],
    ['raw-twice', 'more verdicts than entries', /./],
    ['raw-deep', 'state that is nested 4,000 deep', /^(message-invalid|processor-failed|processor-verdict-refused)$/],
    ['raw-garbage', 'no JSON', /^(message-invalid|processor-failed)$/],
    ['raw-nothing', 'no verdict', /^(message-invalid|processor-failed|processor-not-there)$/],
  ])('%s fails its run alone: %s', async (id, _name, code) => {
    const started = Date.now();
    const run = await stack.client.start(await agent(id, { input: [id], output: ['pii'] }), saying('hi'));
    const chunks = await collect(run);
    const result = await run.result();
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: expect.stringMatching(code), path: `processInput/${id}` },
    });
    expect(JSON.stringify([chunks, result])).not.toContain('4111');
    expect(Date.now() - started).toBeLessThan(10_000);
    await stillServing();
  });

  test('raw-huge: a reason of 2 MB is cut', async () => {
    const run = await stack.client.start(await agent('raw-huge', { input: ['raw-huge'] }), saying('hi'));
    const { tripwire } = await run.result();
    expect(tripwire?.reason.length).toBeLessThan(20_000);
    await stillServing();
  });

  test.each(Object.keys(streams))('%s: a subject in its answer is not followed', async (id) => {
    const run = await stack.client.start(await agent(id, { output: [id] }), saying('unguarded words'));
    const chunks = await collect(run);
    expect(textOf(chunks)).toBe('');
    expect(chunks.at(-1)?.type).toBe('error');
    await stillServing();
  });
});
