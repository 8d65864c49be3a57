// One call serves adjacent entries, but each keeps its own policy: an entry that fails, hangs or sends chunks does not
// affect the others.
import type { EntryOutcome, JsonValue, Stage } from '@millrace/contracts';
import { defineMethods, useProcessors, useSharedStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { collect, joinText } from './collect.ts';
import { script } from './script.ts';

const stack = useSharedStack();

/** Marks the input with its letter, so that the prompt shows the order and the input of each entry. */
const marker = (id: string) =>
  defineMethods(
    id,
    {
      processInput: ({ messageList, onViolation }) => {
        const seen = messageList.getAllSystemMessages().map((message) => JSON.stringify(message));
        onViolation({ message: `${id} saw ${seen.filter((line) => line.includes('mark')).length}` });
        messageList.setSystem(`mark-${id}`, [`mark ${id}`]);
      },
    },
    { reads: ['system'] },
  );

const hanger = defineMethods(
  'hanger',
  {
    // Does not return even after it is cancelled.
    processInput: () => new Promise<undefined>(() => undefined),
    processOutputStream: async ({ part }) => part,
  },
  { policy: { timeoutMs: 300, attempts: 1 } },
);

let failures = 0;
/** Breaks the first time that it is asked. */
const flaky = defineMethods('flaky', {
  processInput: () => {
    failures += 1;
    if (failures === 1) throw new Error('broken');
  },
});

/** Writes custom chunks, hears them, and counts both in one state. */
const echo = defineMethods(
  'echo',
  {
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
  },
  { processDataParts: true },
);
/** Writes a chunk that a guard forbids. */
const talker = defineMethods('talker', {
  processInput: async ({ writer }) => writer.custom({ type: 'data-x', data: 'forbidden' }),
});

useProcessors(stack, [marker('a'), hanger, marker('c'), flaky, echo, talker]);

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

describe('adjacent entries with one that hangs', () => {
  /** The timeout of a call for all three entries is the sum of theirs. */
  const quick = (use: string) => ({ use, timeoutMs: 300 });

  test("the hanging entry is skipped by its policy, and the others see each other's changes", async () => {
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

  test('the hanging entry fails the run by its policy, and the error names it', async () => {
    const { result, outcomes } = await run('hang-fail', [quick('a'), 'hanger', quick('c')]);
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'processor-timeout', path: 'processInput/hanger' },
    });
    expect(outcomes('processInput').map(({ entry }) => entry)).toEqual(['a', 'hanger']);
  });
});

test('an entry that fails once is retried alone, and the run continues', async () => {
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
  test('an entry that receives its own custom chunks keeps its complete state', async () => {
    const { chunks, said } = await run('echo', ['echo', 'a'], ['echo']);
    expect(chunks.map(({ type }) => type as string).filter((type) => type.startsWith('data-'))).toEqual([
      'data-a',
      'data-b',
    ]);
    expect(said).toContain('{"written":2,"heard":2}');
  });

  test('a guard of the output stream stops the run for a forbidden custom chunk and withholds the chunk', async () => {
    const { chunks, result } = await run('forbidden', ['talker', 'a'], ['echo']);
    expect(result).toMatchObject({ status: 'aborted', tripwire: { reason: 'a forbidden chunk', processorId: 'echo' } });
    expect(JSON.stringify(chunks)).not.toContain('data-x');
    expect(joinText(chunks)).toBe('');
  });
});
