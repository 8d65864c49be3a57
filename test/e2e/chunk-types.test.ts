// Every type of chunk through the output chain of a run, beside a guard of text: it arrives, and nothing of it unjudged.
import { CHUNK_TYPES, type Chunk, type JsonObject } from '@millrace/contracts';
import { defineProcessor, useNats, useProcessors, useStack } from '@millrace/testkit';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { collect } from './collect.ts';

const SECRET = 'nightingale';
const call = { toolCallId: 'c1', toolName: 'search' };
const told = { openai: { itemId: 'i', annotations: [{ type: 'note', title: `a ${SECRET}` }] } };
const secret = { note: `the ${SECRET}`, deep: [{ word: SECRET }] };

/** What a cache may hold, by type, with the secret wherever there is text. */
const CACHED: Record<string, JsonObject> = {
  'text-start': { id: 't', providerMetadata: told },
  'text-delta': { id: 't', text: `a ${SECRET} sings`, providerMetadata: told },
  'text-end': { id: 't', providerMetadata: told, citations: [{ citedText: SECRET }] },
  'reasoning-start': { id: 'r', signature: 's' },
  'reasoning-delta': { id: 'r', text: `why a ${SECRET}` },
  'reasoning-signature': { id: 'r', signature: 's', providerMetadata: told },
  'reasoning-end': { id: 'r', signature: 's' },
  'redacted-reasoning': secret,
  'reasoning-file': { data: 'aGk=', mimeType: 'text/plain', ...secret },
  'tool-call-input-streaming-start': { ...call, ...secret },
  'tool-call-delta': { ...call, argsTextDelta: `{"q":"${SECRET}"}` },
  'tool-call-input-streaming-end': { toolCallId: 'c1', ...secret },
  'tool-call': { ...call, args: { q: SECRET }, providerExecuted: true },
  'tool-result': { ...call, result: { said: SECRET }, providerExecuted: true },
  'tool-error': { ...call, error: SECRET },
  'tool-output': { output: { type: 'text-delta', payload: { text: SECRET } } },
  'step-output': { output: { said: SECRET } },
  'tool-approval-request': { approvalId: 'a', toolCallId: 'c1', providerMetadata: told },
  'tool-call-approval': { ...call, args: SECRET },
  'tool-call-suspended': { ...call, suspendPayload: secret },
  'tool-output-denied': { ...call, reason: SECRET },
  source: { id: 's', sourceType: 'url', title: SECRET, url: `https://x.example/${SECRET}` },
  file: { data: 'aGk=', mimeType: 'text/plain', filename: SECRET },
  'response-metadata': { id: 'resp', modelId: 'gpt', headers: { 'x-said': SECRET } },
  watch: { workflowState: secret },
  custom: { kind: 'openai.thing', providerMetadata: told },
  'is-task-complete': secret,
};
/** These do not come from a cache: the run makes them, or they are refused, or left out. */
const OTHERS =
  'start step-start step-finish finish error abort tripwire raw object object-result retract suspended resumed'.split(
    ' ',
  );

const chunkOf = (type: string, payload: JsonObject): Chunk =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the wire's schema looks at it
  ({ type, runId: 'x', from: 'AGENT', payload }) as unknown as Chunk;

const cache = defineProcessor({
  id: 'all-chunks',
  description: 'answers with a chunk of every type',
  stages: ['processLLMRequest'],
  reads: [],
  options: z.strictObject({}),
  create: () => ({
    processLLMRequest: () => {
      const chunks = [...Object.entries(CACHED), ['raw', secret] as const, ['brand-new', secret] as const];
      return { response: { chunks: chunks.map(([type, payload]) => chunkOf(type, payload)) } };
    },
  }),
});

const nats = useNats();
useProcessors(nats, [cache]);
const stack = useStack(nats, ['orchestrator', 'guardrails']);
let seen: Chunk[] = [];
let result: object = {};

beforeAll(async () => {
  await stack.client.agents.apply({
    name: 'all',
    model: 'openai/gpt-5-mini',
    instructions: 'Answer.',
    input: ['all-chunks'],
    output: [{ use: 'keyword', options: { keywords: [SECRET], strategy: 'redact' } }],
    maxSteps: 1,
  });
  const run = await stack.client.start('all', 'hello');
  seen = await collect(run);
  result = await run.result();
}, 60_000);

test('the run ends well, with what was let through', () => {
  expect(result).toMatchObject({ status: 'finished', text: 'a [REDACTED] sings' });
});

test('every chunk type of the schema is one that a cache may give, or one that it may not', () => {
  expect([...Object.keys(CACHED), ...OTHERS].toSorted()).toEqual(CHUNK_TYPES.toSorted());
});

test.each([...Object.keys(CACHED), 'brand-new'])('%s arrives, and nothing of it unjudged', (type) => {
  const chunks = seen.filter((chunk) => chunk.type === type);
  expect(chunks.length).toBeGreaterThan(0);
  expect(JSON.stringify(chunks)).not.toContain(SECRET);
});

test('raw data of a cache arrives nowhere', () => {
  expect(seen.filter(({ type }) => type === 'raw')).toEqual([]);
});

test('what the run makes of them holds nothing unjudged either', () => {
  expect(JSON.stringify(seen)).not.toContain(SECRET);
  expect(seen.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['start', 'step-start', 'step-finish', 'finish']),
  );
});
