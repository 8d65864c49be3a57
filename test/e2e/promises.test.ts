// Promises of docs/promises.md without another test, through real services.
import { connect } from '@millrace/client';
import { STAGES, type Stage } from '@millrace/contracts';
import {
  defineMethods,
  eventually,
  makeReply,
  passStream,
  serveWire,
  useBus,
  useNats,
  useProcessors,
  useStack,
  type WireScript,
} from '@millrace/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collect, joinText } from './collect.ts';
import { script } from './script.ts';

const seen: string[][] = [];
let chunks = 0;
/** Records the input of a guard. */
const watching = defineMethods(
  'watching',
  {
    processInput: ({ messages }) => void seen.push(messages.map(({ role }) => role)),
    processOutputStream: ({ part }) => {
      chunks += 1;
      return part;
    },
  },
  { reads: { processInput: ['input'] } },
);

const nats = useNats();
const connection = useBus(nats, 'promises', { role: 'developer' });
useProcessors(nats, [watching]);
const stack = useStack(nats, ['orchestrator', 'tools', 'message-history']);
let served: { stop(): Promise<void> };

/** Reports a finding at each stage. */
function telling(stage: Stage): WireScript {
  const violations = [{ processorId: 'x', message: 'found', rule: stage, detail: { at: stage } }];
  const verdict = { type: stage === 'processAPIError' ? 'retry' : 'continue', violations };
  const id = `told-${stage}`;
  if (stage === 'processOutputStream') return { id, stage, ...passStream(undefined, verdict) };
  return { id, stage, call: (_call, wire) => wire.reply(makeReply(wire, verdict)) };
}

beforeAll(async () => {
  const processors = STAGES.map(telling);
  served = await serveWire(connection.bus, processors);
  await eventually(async () => (await stack.client.processors.list()).length > processors.length);
  const common = { model: 'openai/gpt-5-mini', flushMs: 0, instructions: 'Answer.' };
  const guarded = { ...common, input: ['watching'], output: ['watching'] };
  await stack.client.agents.apply({ ...guarded, name: 'watched' });
  await stack.client.agents.apply({ ...guarded, name: 'remembering', memory: { lastMessages: 20 } });
  const listTags = (...stages: Stage[]) => stages.map((stage) => `told-${stage}`);
  await stack.client.agents.apply({
    ...common,
    name: 'told',
    tools: ['calculator'],
    input: listTags('processInput', 'processInputStep', 'processLLMRequest', 'processLLMResponse', 'processToolCall'),
    output: listTags('processOutputStream', 'processOutputStep', 'processToolResult', 'processOutputResult'),
    error: listTags('processAPIError'),
  });
}, 60_000);
afterAll(() => served.stop());

test('7: violations are reported from every stage', async () => {
  const call = { name: 'calculator', args: { expression: '1 + 1' } };
  const prompt = script({ error: { status: 400, message: 'no' } }, { toolCalls: [call] }, { text: 'two' });
  const run = await stack.client.start('told', prompt);
  const { status, violations } = await run.result();
  expect(status).toBe('finished');
  expect(new Set(violations.map(({ rule }) => rule))).toEqual(new Set(STAGES));
  const detail = JSON.stringify(await stack.client.runs.eventsDetail(run.runId));
  for (const stage of STAGES) expect(detail).toContain(`{"at":"${stage}"}`);
  expect(JSON.stringify(violations)).not.toContain('"at"');
});

test("11: guards judge the caller's messages, and their input does not grow with the thread", async () => {
  seen.length = 0;
  for (const text of ['one', 'two', 'three', 'four'])
    await (await stack.client.start('remembering', script({ text }), { threadId: 'long' })).result();
  expect((await stack.client.threads.messages('long')).total).toBe(8);
  expect(seen).toEqual([['user'], ['user'], ['user'], ['user']]);
});

test('15: guards run once for any number of followers', async () => {
  const asked = script({ text: 'one two three four five six', chunkSize: 4, delayMs: 10 });
  const count = async (followers: number) => {
    chunks = 0;
    const run = await stack.client.start('watched', asked);
    const others = await Promise.all(Array.from({ length: followers }, () => stack.client.follow(run.runId)));
    const texts = await Promise.all([run, ...others].map(async (one) => joinText(await collect(one))));
    expect(new Set(texts)).toEqual(new Set(['one two three four five six']));
    return chunks;
  };
  const alone = await count(0);
  expect(alone).toBeGreaterThan(6);
  expect(await count(5)).toBe(alone);
});

test('17: cancelling works from another connection, keeps the published text, and stops the model', async () => {
  const other = await connect({ url: nats.url });
  try {
    const text = 'word '.repeat(400);
    const run = await stack.client.start('watched', script({ text, chunkSize: 5, delayMs: 20 }));
    const said: string[] = [];
    for await (const chunk of run.fullStream) {
      if (chunk.type === 'text-delta') said.push(chunk.payload.text);
      if (said.length === 3) await other.runs.cancel(run.runId);
    }
    const result = await run.result();
    expect(result).toMatchObject({ status: 'cancelled', finishReason: 'other' });
    expect(result.text.length).toBeGreaterThanOrEqual(15);
    expect(result.text.length).toBeLessThan(text.length);
    expect(text.startsWith(result.text)).toBe(true);
  } finally {
    await other.close();
  }
});
