// Tests that a task returns the same outcome inline and on a worker thread, and which modules a worker loads.
import { basename, dirname } from 'node:path';
import { MillraceError } from '@millrace/contracts';
import { StopError } from '@millrace/processor';
import { inputArgs, catchStop } from '@millrace/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { BOUNDS } from './bounds.ts';
import { piiTask } from '../guards/pii/find-pii.ts';
import { piiOptions } from '../guards/pii/pii-options.ts';
import { injectionTask } from '../guards/prompt-injection/judge-text.ts';
import { AIMS } from '../guards/prompt-injection/rules/rule.ts';
import { PROCESSORS } from '../processors.ts';
import { GUARD_CASES, listRequiredOptions } from '../testing/guard-cases.ts';
import { MAX_INLINE_COST, closeThreads, createTask } from './task.ts';
import { defineTask, prepareTask, listTaskModules } from './define-task.ts';

afterAll(closeThreads);

const { signal } = new AbortController();
const options = piiOptions.parse({});
const texts = ['Write to ada@example.com.', 'plain words', 'card 4111 1111 1111 1111'];
const filler = 'words that say nothing, '.repeat(Math.ceil(MAX_INLINE_COST / 20));

/** Judged, rejected for its length, or timed out on a busy machine. Any other outcome fails the test. */
async function expectOutcome(judge: () => Promise<unknown>): Promise<void> {
  try {
    await judge();
  } catch (error) {
    const isGivenUp = MillraceError.isInstance(error) && error.code === 'processor-timeout';
    if (!isGivenUp && !StopError.isInstance(error)) throw error;
  }
}

/** Processor time of this thread and of the whole process, in ms. */
function cpuUsage(): { here: number; all: number } {
  const [here, all] = [process.threadCpuUsage(), process.cpuUsage()].map(({ user, system }) => (user + system) / 1_000);
  return { here: here ?? 0, all: all ?? 0 };
}

const judges = PROCESSORS.filter(({ id }) => GUARD_CASES[id]?.hasTask);
const ofInput = judges.filter(({ stages }) => stages.includes('processInput'));

test('every processor that judges long texts defines a task in its own folder', () => {
  const folders = listTaskModules().map((module) => basename(dirname(module)));
  expect(folders.toSorted()).toEqual(judges.map(({ id }) => id).toSorted());
});

describe('modules of a worker', () => {
  test.each([
    ['an absolute path', '/etc/module.ts'],
    ['a path out of the source folder', '../package.ts'],
    ['a path that leaves the source folder on its way', 'work/../../other.ts'],
    ['a file URL', new URL('task-thread.ts', import.meta.url).href],
    ['a data URL', 'data:text/javascript,export default 1'],
    ['a URL on another host', 'https://example.com/module.ts'],
    ['a package', 'zod'],
    ['a file that is not TypeScript', 'work/task.js'],
  ])('the worker rejects %s', async (_, module) => {
    await expect(prepareTask(module, {})).rejects.toThrow('A worker loads modules of the guards only');
  });
  test("the worker rejects a guard's module without a task", async () => {
    await expect(prepareTask('work/bounds.ts', {})).rejects.toThrow('defines no task');
  });
  test('a module can define only one task', () => {
    const url = new URL('bounds.ts', import.meta.url).href;
    const define = () => defineTask(url, () => (texts) => [...texts]);
    define();
    expect(define).toThrow('has a task already');
  });
  test('a module outside of the source folder cannot define a task', () => {
    expect(() => defineTask('file:///tmp/module.ts', () => (texts) => [...texts])).toThrow('guards only');
  });
});

describe('outcomes of a task', () => {
  const task = createTask(piiTask, options);
  test('a task finds the same on another thread and inline', async () => {
    const found = { found: [...task.runNow(texts), [[]]] };
    expect(await task.run([...texts, filler], signal)).toEqual(found);
  });
  test.each([
    ['characters', ['x'.repeat(BOUNDS.characters)]],
    ['characters', Array.from({ length: BOUNDS.characters / 16 }, (_, at) => String(at))],
    ['hits', ['ada@example.com '.repeat(BOUNDS.hits + 1)]],
    ['hits', Array.from({ length: BOUNDS.hits + 1 }, (_, at) => `ada${at}@example.com`)],
  ])('a task rejects texts above the bound of %s over all texts of a call', async (bound, many) => {
    expect(await task.run(many, signal)).toEqual({ exceeded: bound });
  });
  test('a task fails when its call is aborted', async () => {
    const cancelled = new AbortController();
    const running = task.run([filler.repeat(20)], cancelled.signal);
    cancelled.abort();
    await expect(running).rejects.toMatchObject({ code: 'processor-timeout' });
  });
});

test('texts with too many views are rejected', () => {
  const judging = { aims: AIMS, threshold: 0.7, phrases: [], patterns: [], from: 'user' as const };
  const task = createTask(injectionTask, judging);
  const nested = Array.from({ length: 9 }).reduce<string>((text) => `"%41<b>${encodeURIComponent(text)}" '&lt;`, 'x');
  const texts = Array.from({ length: 250 }, () => nested.repeat(20));
  expect(() => task.runNow(texts)).toThrow(`more than ${BOUNDS.views} views`);
}, 120_000);

describe('two megabytes in one message', () => {
  /** Words that look like base64: the judge decodes all of them and finds nothing. */
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  const word = (at: number) =>
    Array.from({ length: 20 }, (_, n) => letters[(at * 31 + n * n * (at + 7)) % 62]).join('');
  const long = Array.from({ length: 95_000 }, (_, at) => word(at)).join(' ');

  test.each(ofInput.map((definition) => [definition.id, definition] as const))(
    '%s judges or rejects them off the event loop',
    async (id, definition) => {
      const processor = definition.create({
        ...listRequiredOptions(id),
        ...(id === 'keyword' && { keywords: ['nightingale'], patterns: ['key-\\d+'] }),
        ...(id === 'content-length' && { maxInput: 1, unit: 'graphemes' }),
      });
      const args = inputArgs([long]);
      const before = cpuUsage();
      await expectOutcome(async () => processor.processInput?.(args));
      const after = cpuUsage();
      // Processor time, because wall time depends on the machine's load.
      expect(after.here - before.here).toBeLessThan(Math.max((after.all - before.all) / 2, 100));
    },
  );

  test.each(ofInput)('$id blocks with the rule of a bound in any strategy', async ({ id, create }) => {
    const lenient = id === 'keyword' || id === 'moderation' ? { strategy: 'warn' } : {};
    const processor = create({
      ...listRequiredOptions(id),
      ...lenient,
      ...(id === 'content-length' && { maxInput: 1 }),
    });
    const args = inputArgs(['x'.repeat(BOUNDS.characters)]);
    const stop = await catchStop(() => processor.processInput?.(args));
    expect(stop).toMatchObject({ type: 'abort', metadata: { rules: ['too-many-characters'] } });
    expect(args.violations).toMatchObject([{ rule: 'too-many-characters' }]);
  });
});
