// Every place of a request that may hold a text, generated from the schema of the wire, through the real path: the orchestrator
// refuses a mark in it, a guard of the input blocks it, or neither a model, a processor nor a reader receives it.
import { runRequestSchema } from '@millrace/contracts';
import { defineMethods, listMarkedValues, useBus, useNats, useProcessors, useStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fresh, rawCaller } from './hostile/raw-caller.ts';

/** In the form of an id, with white space, and in a script without it. */
const WORD = 'zebracode';
const TEXTS = ['zebra code', '\u6591\u99ac\u4ee3\u78bc'];
/** No guard blocks it: a place that is refused all the same is not reached. */
const PLAIN = 'plainword';

const nats = useNats();
const stack = useStack(nats, ['orchestrator', 'guardrails']);
const connection = useBus(nats, 'operator');
const caller = rawCaller(() => connection.bus);

/** What the processors after the guard and the model received, by run. */
const received = new Map<string, string[]>();
const record = (runId: string, value: unknown): void => {
  received.set(runId, [...(received.get(runId) ?? []), JSON.stringify(value)]);
};
/** Records the input of a model and a processor. */
const recorder = defineMethods(
  'recorder',
  {
    processInputStep: ({ run, messages, tools, modelSettings, structuredOutput }) =>
      record(run.runId, { messages, tools, modelSettings, structuredOutput }),
    processLLMRequest: ({ run, prompt }) => record(run.runId, { prompt }),
  },
  { reads: ['input', 'system', 'prompt', 'tools'] },
);
useProcessors(nats, [recorder], 'recorders');

type Outcome = 'refused' | 'blocked' | 'seen' | 'unseen';

async function submit(value: unknown, mark: string): Promise<Outcome> {
  const runId = fresh('marked');
  const given = z.looseObject({}).parse(value);
  const own = { runId, tenant: 'default', agent: 'marked' };
  const taken = Object.entries(own).filter(([name]) => given[name] !== mark);
  const request = { ...given, ...Object.fromEntries(taken) };
  const { error } = await caller.api('submit', request, runId);
  if (error) return 'refused';
  const result = await caller.result(runId);
  if (result.status === 'aborted') return 'blocked';
  if (result.error?.code === 'run-refused') return 'refused';
  return [...(received.get(runId) ?? []), JSON.stringify(result)].some((text) => text.includes(mark))
    ? 'seen'
    : 'unseen';
}

async function submitEach(mark: string): Promise<Map<string, Outcome>> {
  const waiting = listMarkedValues(runRequestSchema, mark);
  const outcomes = new Map<string, Outcome>();
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      outcomes.set(next.path, await submit(next.value, mark));
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return outcomes;
}

const listPaths = (outcomes: Map<string, Outcome>, kind: Outcome): string[] =>
  [...outcomes].flatMap(([path, outcome]) => (outcome === kind ? [path] : [])).toSorted();

/** Ids of a message in their form, and base64: neither has room for a text. */
const BOUNDED = ['id', 'threadId', 'resourceId', 'content.parts[]<file>.data']
  .map((name) => `.messages[].${name}`)
  .toSorted();
/** The orchestrator replaces or drops the first ones; no model reads the others, and they have the form of ids, or are for processors. */
const UNREAD = [
  '.messages[].content.parts[]<tool-invocation>.toolInvocation.toolCallId',
  '.messages[].content.parts[]<file>.detail',
  ...['', '.any', '.any{name}', '.any[].any{name}'].map(
    (place) => `.messages[].content.parts[]<reasoning>.providerMetadata${place}`,
  ),
  '.threadId',
  '.resourceId',
  ...['{name}', '{}', '{}.any', '{}.any{name}', '{}.any[].any{name}'].map((place) => `.requestContext${place}`),
  '.trace.traceparent',
  '.trace.tracestate',
  '.retryOf',
  '.budget.account',
].toSorted();

const apply = async (strategy: string): Promise<void> => {
  await stack.client.agents.apply({
    name: 'marked',
    model: 'openai/gpt-5-mini',
    clientTools: true,
    callerSettings: ['stopSequences', 'toolChoice'],
    files: 'pass',
    input: [{ use: 'keyword', options: { keywords: [WORD, ...TEXTS], strategy } }, 'recorder'],
  });
};

test('the orchestrator accepts a word that no guard blocks in almost all places of a request', async () => {
  await apply('block');
  const outcomes = await submitEach(PLAIN);
  expect(listPaths(outcomes, 'blocked')).toEqual([]);
  expect(listPaths(outcomes, 'unseen')).toEqual(UNREAD);
  expect(listPaths(outcomes, 'seen').length).toBeGreaterThan(110);
  expect(outcomes.size).toBeGreaterThan(160);
}, 120_000);

describe.each(['block', 'redact'])('with a guard of the strategy %s', (strategy) => {
  test('a word is in no place that a model or a reader receives, except in ids and bytes', async () => {
    await apply(strategy);
    const outcomes = await submitEach(WORD);
    expect(listPaths(outcomes, 'seen')).toEqual(BOUNDED);
  }, 120_000);

  test.each(TEXTS)(
    'the text %s is in no place that a model or a reader receives',
    async (text) => {
      await apply(strategy);
      expect(listPaths(await submitEach(text), 'seen')).toEqual([]);
    },
    120_000,
  );
});
