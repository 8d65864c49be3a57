// Adjacent entries are asked in one call, and yet each has its own policy: one that breaks, hangs or talks costs the others nothing.
import type { EntryOutcome, JsonValue, Stage } from '@millrace/contracts';
import { defineProcessor, useNats, useProcessors, useStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { collect, textOf } from './collect.ts';
import { script } from './script.ts';

const nats = useNats();
const noOptions = z.strictObject({});

/** Marks the input with its letter, so that the order and what each saw can be told from the prompt. */
const marker = (id: string) =>
  defineProcessor({
    id,
    description: 'adds its letter to a system message',
    stages: ['processInput'],
    reads: ['system'],
    options: noOptions,
    create: () => ({
      id,
      processInput: ({ messageList, onViolation }) => {
        const seen = messageList.getAllSystemMessages().map((message) => JSON.stringify(message));
        onViolation({ message: `${id} saw ${seen.filter((line) => line.includes('mark')).length}` });
        messageList.setSystem(`mark-${id}`, [`mark ${id}`]);
      },
    }),
  });

const hanger = defineProcessor({
  id: 'hanger',
  description: 'hangs',
  stages: ['processInput', 'processOutputStream'],
  reads: [],
  policy: { timeoutMs: 300, attempts: 1 },
  options: noOptions,
  create: () => ({
    id: 'hanger',
    // Not even when it is told that it was given up.
    processInput: () => new Promise<undefined>(() => undefined),
    processOutputStream: async ({ part }) => part,
  }),
});

let failures = 0;
const flaky = defineProcessor({
  id: 'flaky',
  description: 'breaks the first time that it is asked',
  stages: ['processInput'],
  reads: [],
  options: noOptions,
  create: () => ({
    id: 'flaky',
    processInput: () => {
      failures += 1;
      if (failures === 1) throw new Error('broken');
    },
  }),
});

const echo = defineProcessor({
  id: 'echo',
  description: 'writes custom chunks, hears them, and counts both in one state',
  stages: ['processInput', 'processOutputStream', 'processOutputStep'],
  reads: [],
  processDataParts: true,
  options: noOptions,
  create: () => ({
    id: 'echo',
    processInput: async ({ writer, state }) => {
      state['written'] = 2;
      await writer.custom({ type: 'data-a', data: 1 });
      await writer.custom({ type: 'data-b', data: 2 });
    },
    processOutputStream: async ({ part, state, abort }) => {
      if (!part.type.startsWith('data-')) return part;
      if (JSON.stringify(part).includes('forbidden')) abort('a forbidden chunk');
      state['heard'] = Number(state['heard'] ?? 0) + 1;
      return part;
    },
    processOutputStep: ({ state, onViolation }) => onViolation({ message: JSON.stringify(state) }),
  }),
});
const talker = defineProcessor({
  id: 'talker',
  description: 'writes a chunk that a guard forbids',
  stages: ['processInput'],
  reads: [],
  options: noOptions,
  create: () => ({
    id: 'talker',
    processInput: async ({ writer }) => writer.custom({ type: 'data-x', data: 'forbidden' }),
  }),
});

useProcessors(nats, [marker('a'), hanger, marker('c'), flaky, echo, talker]);
const stack = useStack(nats, ['orchestrator']);

async function run(name: string, input: JsonValue[], output: JsonValue[] = []) {
  await stack.client.agents.apply({ name, model: 'openai/gpt-5-mini', input, output });
  const started = await stack.client.start(name, script({ text: 'answer' }));
  const chunks = await collect(started);
  const result = await started.result();
  const events = await stack.client.runs.eventsDetail(started.runId);
  const outcomes = (stage: Stage): EntryOutcome[] =>
    events.flatMap((event) => (event.event === 'stage' && event.stage === stage ? event.entries : []));
  const said = events.flatMap((event) =>
    event.event === 'stage'
      ? event.entries.flatMap((entry) => entry.violations ?? []).map(({ message }) => message)
      : [],
  );
  return { chunks, result, outcomes, said };
}

describe('one of three that hangs', () => {
  /** The limit of a call for all three is the sum of theirs. */
  const quick = (use: string) => ({ use, timeoutMs: 300 });

  test('is skipped where its policy says so, and the others see each other', async () => {
    const { result, outcomes, said } = await run('hang-skip', [
      quick('a'),
      { use: 'hanger', onFailure: 'skip' },
      quick('c'),
    ]);
    expect(result).toMatchObject({ status: 'finished', text: 'answer' });
    expect(said).toEqual(['a saw 0', 'c saw 1']);
    expect(outcomes('processInput')).toMatchObject([
      { entry: 'a', verdict: 'continue' },
      { entry: 'hanger', verdict: 'failure', skipped: true, error: { code: 'processor-timeout' } },
      { entry: 'c', verdict: 'continue' },
    ]);
  });

  test('fails the run where it says that, by its own name', async () => {
    const { result, outcomes } = await run('hang-fail', [quick('a'), 'hanger', quick('c')]);
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'processor-timeout', path: 'processInput/hanger' },
    });
    expect(outcomes('processInput').map(({ entry }) => entry)).toEqual(['a', 'hanger']);
  });
});

test('one that breaks once is asked again, alone, and the run goes on', async () => {
  const { result, outcomes, said } = await run('flaky', ['a', 'flaky', 'c']);
  expect(result).toMatchObject({ status: 'finished', text: 'answer' });
  expect(outcomes('processInput')).toMatchObject([
    { entry: 'a', attempts: 1 },
    { entry: 'flaky', attempts: 2, verdict: 'continue' },
    { entry: 'c' },
  ]);
  expect(said).toEqual(['a saw 0', 'c saw 1']);
});

describe('custom chunks of a stage', () => {
  test('that their own entry hears find its state, and leave it whole', async () => {
    const { chunks, said } = await run('echo', ['echo', 'a'], ['echo']);
    expect(chunks.map(({ type }) => type as string).filter((type) => type.startsWith('data-'))).toEqual([
      'data-a',
      'data-b',
    ]);
    expect(said).toContain('{"written":2,"heard":2}');
  });

  test('that a guard of the output stream forbids stop the run, and do not come out', async () => {
    const { chunks, result } = await run('forbidden', ['talker', 'a'], ['echo']);
    expect(result).toMatchObject({ status: 'aborted', tripwire: { reason: 'a forbidden chunk', processorId: 'echo' } });
    expect(JSON.stringify(chunks)).not.toContain('data-x');
    expect(textOf(chunks)).toBe('');
  });
});
