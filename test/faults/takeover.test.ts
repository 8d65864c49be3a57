// An orchestrator dies with runs in each of their phases, and another one takes over: every run ends as without the
// fault, and no effect is repeated.
import { chunkBatchSchema, type ChunkBatch } from '@millrace/contracts';
import {
  defineProcessor,
  defineTool,
  eventually,
  useBus,
  useNats,
  useProcessors,
  useRedis,
  useStack,
} from '@millrace/testkit';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { script, type ScriptElement } from '../e2e/script.ts';

const nats = useNats();
const redis = useRedis();

/** Runs that wait at a named gate; open gates let every run pass. */
const waiting = new Set<string>();
const open = new Set<string>();
const pass = async (name: string) => {
  if (open.has(name)) return;
  waiting.add(name);
  await eventually(() => open.has(name), { timeoutMs: 60_000 });
};
const gate = defineProcessor({
  id: 'gate',
  description: 'holds a run until its gate is opened',
  stages: ['processInput', 'processOutputResult'],
  reads: [],
  policy: { timeoutMs: 60_000, attempts: 1 },
  options: z.strictObject({ at: z.enum(['input', 'result']), name: z.string() }),
  create: ({ at, name }) => ({
    id: 'gate',
    processInput: async () => void (at === 'input' && (await pass(name))),
    processOutputResult: async () => void (at === 'result' && (await pass(name))),
  }),
});

/** Executed tool calls, by key. */
const called: string[] = [];
const tool = (name: string, idempotent: boolean) =>
  defineTool({
    name,
    description: 'writes down that it was called, and answers when its gate is open',
    inputSchema: z.strictObject({ key: z.string(), waits: z.boolean() }),
    idempotent,
    timeoutMs: 60_000,
    async execute({ key, waits }) {
      called.push(`${name} ${key}`);
      if (waits) await pass(key);
      return { done: key };
    },
  });
useProcessors(nats, [gate], 'gates', [tool('book', false), tool('note', true)]);
const stack = useStack(nats, ['orchestrator', 'message-history'], () => ({ REDIS_URL: redis.url }), {
  processes: 'all',
});
const connection = useBus(nats, 'watcher');

const batches = new Map<string, ChunkBatch[]>();
beforeAll(() => {
  const { nc, subjects } = connection.bus;
  nc.subscribe(`${subjects.prefix}.chunks.default.*.*`, {
    callback(_error, message) {
      const run = message.subject.slice(message.subject.lastIndexOf('.') + 1);
      batches.set(run, [...(batches.get(run) ?? []), chunkBatchSchema.parse(message.json())]);
    },
  });
});
afterEach(() => {
  waiting.clear();
  open.clear();
  called.length = 0;
});

const orchestrators = () => stack.pids().filter(({ service }) => service === 'orchestrator');
const book = (key: string, waits: boolean) => ({ name: 'book', args: { key, waits } });
const note = (key: string, waits: boolean) => ({ name: 'note', args: { key, waits } });

async function start(name: string, lists: object, ...says: ScriptElement[]) {
  const definition = {
    name,
    model: 'openai/gpt-5-mini',
    flushMs: 0,
    tools: ['book', 'note'],
    memory: { lastMessages: 5 },
    ...lists,
  };
  // On a busy machine the check of options can time out and is then repeated.
  await eventually(() => stack.client.agents.apply(definition), { timeoutMs: 30_000 });
  const threadId = crypto.randomUUID();
  return { name, threadId, run: await stack.client.start(name, script(...says), { threadId, resourceId: 'ada' }) };
}
type Started = Awaited<ReturnType<typeof start>>;

const gateInput = (name: string) => ({ input: [{ use: 'gate', options: { at: 'input', name } }] });
const gateResult = (name: string) => ({ output: ['memory', { use: 'gate', options: { at: 'result', name } }] });
const long = 'word '.repeat(150);

/** Starts one run for each phase. */
async function startEveryPhase(): Promise<Started[]> {
  const runs = [
    await start('in-input', gateInput('in-input'), { text: 'After the input.' }),
    await start('in-stream', {}, { text: long, chunkSize: 5, delayMs: 40 }),
    await start('in-book', {}, { text: 'Booking.', toolCalls: [book('in-book', true)] }, { text: 'Booked.' }),
    await start('in-note', {}, { text: 'Noting.', toolCalls: [note('in-note', true)] }, { text: 'Noted.' }),
    await start(
      'between',
      {},
      { text: 'One.', toolCalls: [book('between', false)] },
      { text: long, chunkSize: 5, delayMs: 40 },
    ),
    await start('ending', gateResult('ending'), { text: 'Saved already.' }),
  ];
  await eventually(() => waiting.size === 4, { timeoutMs: 30_000 });
  await eventually(() => ['in-stream', 'between'].every((name) => hasSaid(runs, name, 'word')), { timeoutMs: 30_000 });
  return runs;
}

const hasSaid = (runs: Started[], name: string, text: string): boolean =>
  JSON.stringify(batches.get(runs.find((one) => one.name === name)?.run.runId ?? '') ?? []).includes(text);

async function expectAsIfNothingHadHappened(runs: Started[]): Promise<void> {
  const ended: Record<string, { status: string; text: string; stored: string[] }> = {};
  for (const { name, run, threadId } of runs) {
    const { status, text } = await run.result();
    const { messages } = await stack.client.threads.messages(threadId);
    ended[name] = { status, text, stored: messages.map(({ role }) => role) };
    expectDense(batches.get(run.runId) ?? []);
  }
  const one = { status: 'finished', stored: ['user', 'assistant'] };
  const two = { status: 'finished', stored: ['user', 'assistant', 'assistant'] };
  expect(ended).toEqual({
    'in-input': { ...one, text: 'After the input.' },
    'in-stream': { ...one, text: long },
    'in-book': { ...two, text: 'Booking.Booked.' },
    'in-note': { ...two, text: 'Noting.Noted.' },
    between: { ...two, text: `One.${long}` },
    ending: { ...one, text: 'Saved already.' },
  });
  const times = (key: string) => called.filter((call) => call === key).length;
  expect({ inBook: times('book in-book'), between: times('book between') }).toEqual({ inBook: 1, between: 1 });
}

/** Positions are consecutive within each epoch, and an epoch starts at most one after the end of the previous one. */
function expectDense(live: readonly ChunkBatch[]): void {
  const epochs = new Set(live.map(({ epoch }) => epoch));
  let end = 0;
  for (const epoch of [...epochs].toSorted((one, other) => one - other)) {
    const own = live.filter((batch) => batch.epoch === epoch);
    let next = own[0]?.index ?? 0;
    expect(next).toBeLessThanOrEqual(end);
    for (const { index, chunks } of own) {
      expect(index).toBe(next);
      next += chunks.length;
    }
    end = next;
  }
}

describe("takeover of an orchestrator's runs", () => {
  test('killing an orchestrator with runs in every phase loses none of them: another one takes over, and no effect is repeated', async () => {
    const [doomed] = orchestrators();
    if (!doomed) throw new Error('there is no orchestrator');
    const runs = await startEveryPhase();
    await stack.start('orchestrator');
    const killedAt = Date.now();
    process.kill(doomed.pid, 'SIGKILL');
    for (const { name } of runs) open.add(name);
    await Promise.all(runs.map(({ run }) => run.result()));
    const tookMs = Date.now() - killedAt;
    await expectAsIfNothingHadHappened(runs);
    // Its peer requeues the runs after 1 to 3 s, well before the ack wait of 20 s; the restarted streams take 6 s.
    expect(tookMs).toBeLessThan(18_000);
    const book = runs.find(({ name }) => name === 'in-book');
    const result = await book?.run.result();
    expect(JSON.stringify(result?.steps[0]?.toolResults)).toContain('tool-outcome-unknown');
  }, 120_000);

  test('a stopping orchestrator hands its runs over: another one continues at once, and answered calls are not repeated', async () => {
    const [leaving] = orchestrators();
    if (!leaving) throw new Error('there is no orchestrator');
    const runs = await startEveryPhase();
    await stack.start('orchestrator');
    const stoppedAt = Date.now();
    process.kill(leaving.pid, 'SIGTERM');
    for (const { name } of runs) open.add(name);
    await Promise.all(runs.map(({ run }) => run.result()));
    expect(Date.now() - stoppedAt).toBeLessThan(18_000);
    await expectAsIfNothingHadHappened(runs);
    const { run } = runs.find(({ name }) => name === 'between') ?? {};
    const models = (await stack.client.runs.events(run?.runId ?? '')).filter(({ event }) => event === 'model');
    expect(models.length).toBeLessThanOrEqual(3);
  }, 120_000);
});
