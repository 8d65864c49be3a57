// Short texts are judged at once, long ones on another thread, and the two come to the same.
import { MillraceError } from '@millrace/contracts';
import { StopError } from '@millrace/processor';
import { inputArgs, stopOf } from '@millrace/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { BOUNDS } from '../guard/bounds.ts';
import { preparePii } from '../pii/find-pii.ts';
import { piiOptions } from '../pii/pii-options.ts';
import { prepareInjections } from '../prompt-injection/prepare-injections.ts';
import { AIMS } from '../prompt-injection/rules/rule.ts';
import { PROCESSORS } from '../processors.ts';
import { requiredOptions } from '../testing/required-options.ts';
import { MAX_INLINE_COST, closeThreads, createTask } from './task.ts';
import { TASKS, prepareTask } from './tasks.ts';

afterAll(closeThreads);

const { signal } = new AbortController();
const options = piiOptions.parse({});
const texts = ['Write to ada@example.com.', 'plain words', 'card 4111 1111 1111 1111'];
const filler = 'words that say nothing, '.repeat(Math.ceil(MAX_INLINE_COST / 20));

/** Judged; refused for its length; or, on a machine that is busy enough, given up. Anything else fails the test. */
async function outcomeOf(judge: () => Promise<unknown>): Promise<void> {
  try {
    await judge();
  } catch (error) {
    const isGivenUp = MillraceError.isInstance(error) && error.code === 'processor-timeout';
    if (!isGivenUp && !StopError.isInstance(error)) throw error;
  }
}

/** Of this thread, and of the process with all its threads, ms. */
function cpuUsage(): { here: number; all: number } {
  const [here, all] = [process.threadCpuUsage(), process.cpuUsage()].map(({ user, system }) => (user + system) / 1_000);
  return { here: here ?? 0, all: all ?? 0 };
}

/** They judge calls, chunks one by one, texts in bounded stretches, or no texts at all. */
const WITHOUT_TASK = new Set([
  'approval-gate',
  'cost-guard',
  'response-cache',
  'language',
  'max-tool-calls',
  'tool-call-filter',
  'tool-allow-list',
  'batch-parts',
]);
const judges = PROCESSORS.filter(({ id }) => !WITHOUT_TASK.has(id));
const ofInput = judges.filter(({ stages }) => stages.includes('processInput'));

test('every processor that judges texts has a task of its name', () => {
  expect(Object.keys(TASKS).toSorted()).toEqual(judges.map(({ id }) => id).toSorted());
});

test('a task that is not there is refused by name', () => {
  expect(() => prepareTask('nobody', {})).toThrow('nobody');
});

describe('a task', () => {
  const task = createTask('pii', preparePii, options);
  test('finds the same on another thread as at once', async () => {
    const found = { found: [...task.now(texts), [[]]] };
    expect(await task.run([...texts, filler], signal)).toEqual(found);
  });
  test.each([
    ['characters', ['x'.repeat(BOUNDS.characters)]],
    ['characters', Array.from({ length: BOUNDS.characters / 16 }, (_, at) => String(at))],
    ['hits', ['ada@example.com '.repeat(BOUNDS.hits + 1)]],
    ['hits', Array.from({ length: BOUNDS.hits + 1 }, (_, at) => `ada${at}@example.com`)],
  ])('does not judge above the bound of %s, over all texts of a call', async (bound, many) => {
    expect(await task.run(many, signal)).toEqual({ exceeded: bound });
  });
  test('fails when its call is given up', async () => {
    const cancelled = new AbortController();
    const running = task.run([filler.repeat(20)], cancelled.signal);
    cancelled.abort();
    await expect(running).rejects.toMatchObject({ code: 'processor-timeout' });
  });
});

test('texts that may be read in too many ways are not judged', () => {
  const judging = { aims: AIMS, threshold: 0.7, phrases: [], patterns: [], from: 'user' as const };
  const task = createTask('prompt-injection', prepareInjections, judging);
  const nested = Array.from({ length: 9 }).reduce<string>((text) => `"%41<b>${encodeURIComponent(text)}" '&lt;`, 'x');
  const texts = Array.from({ length: 250 }, () => nested.repeat(20));
  expect(() => task.now(texts)).toThrow(`more than ${BOUNDS.views} views`);
}, 120_000);

describe('two megabytes in one message', () => {
  /** Words that look like base64: all of them are decoded, and none of them says anything. */
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  const word = (at: number) =>
    Array.from({ length: 20 }, (_, n) => letters[(at * 31 + n * n * (at + 7)) % 62]).join('');
  const long = Array.from({ length: 95_000 }, (_, at) => word(at)).join(' ');

  test.each(ofInput.map((definition) => [definition.id, definition] as const))(
    '%s judges them, or refuses them, off the event loop',
    async (id, definition) => {
      const processor = definition.create({
        ...requiredOptions(id),
        ...(id === 'keyword' && { keywords: ['nightingale'], patterns: ['key-\\d+'] }),
        ...(id === 'content-length' && { maxInput: 1, unit: 'graphemes' }),
      });
      const args = inputArgs([long]);
      const before = cpuUsage();
      await outcomeOf(async () => processor.processInput?.(args));
      const after = cpuUsage();
      // Processor time: on a busy machine the clock says nothing about the code.
      expect(after.here - before.here).toBeLessThan(Math.max((after.all - before.all) / 2, 100));
    },
  );

  test.each(ofInput)('$id blocks by the name of a bound, whatever its strategy', async ({ id, create }) => {
    const lenient = id === 'keyword' || id === 'moderation' ? { strategy: 'warn' } : {};
    const processor = create({
      ...requiredOptions(id),
      ...lenient,
      ...(id === 'content-length' && { maxInput: 1 }),
    });
    const args = inputArgs(['x'.repeat(BOUNDS.characters)]);
    const stop = await stopOf(() => processor.processInput?.(args));
    expect(stop).toMatchObject({ kind: 'abort', options: { metadata: { rules: ['too-many-characters'] } } });
    expect(args.violations).toMatchObject([{ rule: 'too-many-characters' }]);
  });
});
