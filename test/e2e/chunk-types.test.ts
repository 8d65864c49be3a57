// Sends every chunk type through the output chain of a run with a guard of text: the chunk arrives, and its text is
// judged.
import { CHUNK_TYPES, type Chunk, type JsonObject } from '@millrace/contracts';
import { defineMethods, useProcessors, useSharedStack } from '@millrace/testkit';
import { beforeAll, expect, test } from 'vitest';
import { collect } from './collect.ts';

const SECRET = 'nightingale';
const call = { toolCallId: 'c1', toolName: 'search' };
const told = { openai: { itemId: 'i', annotations: [{ type: 'note', title: `a ${SECRET}` }] } };
const secret = { note: `the ${SECRET}`, deep: [{ word: SECRET }] };

/** Chunks that a cache can hold, by type, with the secret in every text. */
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
/** A cache does not provide these: the run creates them, rejects them, or omits them. */
const OTHERS =
  'start step-start step-finish finish error abort tripwire raw object object-result retract suspended resumed'.split(
    ' ',
  );

const makeChunk = (type: string, payload: JsonObject): Chunk =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the wire's schema looks at it
  ({ type, runId: 'x', from: 'AGENT', payload }) as unknown as Chunk;

/** Answers with a chunk of every type. */
const cache = defineMethods('all-chunks', {
  processLLMRequest: () => {
    const chunks = [...Object.entries(CACHED), ['raw', secret] as const, ['brand-new', secret] as const];
    return { response: { chunks: chunks.map(([type, payload]) => makeChunk(type, payload)) } };
  },
});

const stack = useSharedStack();
useProcessors(stack, [cache]);
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

test('the run finishes with the accepted chunks', () => {
  expect(result).toMatchObject({ status: 'finished', text: 'a [REDACTED] sings' });
});

test('every chunk type of the schema is allowed or forbidden in a cache', () => {
  expect([...Object.keys(CACHED), ...OTHERS].toSorted()).toEqual(CHUNK_TYPES.toSorted());
});

test.each([...Object.keys(CACHED), 'brand-new'])('%s arrives, and all of its text is judged', (type) => {
  const chunks = seen.filter((chunk) => chunk.type === type);
  expect(chunks.length).toBeGreaterThan(0);
  expect(JSON.stringify(chunks)).not.toContain(SECRET);
});

test('raw data of a cache reaches no client', () => {
  expect(seen.filter(({ type }) => type === 'raw')).toEqual([]);
});

test("the run's own chunks contain no unjudged text", () => {
  expect(JSON.stringify(seen)).not.toContain(SECRET);
  expect(seen.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['start', 'step-start', 'step-finish', 'finish']),
  );
});
