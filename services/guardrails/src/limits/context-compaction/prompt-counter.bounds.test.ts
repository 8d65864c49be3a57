// The work of counting does not grow with the square of a run's steps, and a prompt above the bound of one job is counted in several.
import { expect, test } from 'vitest';
import { createAnswerCache } from '../../model/answer-cache.ts';
import { makeStep, requestArgs, userText, writeWords } from '../../testing/prompts.ts';
import { BOUNDS, sumLengths } from '../../work/bounds.ts';
import { createTask } from '../../work/task.ts';
import { tokenCountingTask } from '../token-limiter/count-tokens.ts';
import { createPromptCounter } from './prompt-counter.ts';

function startCounting() {
  const jobs: number[] = [];
  const { run } = createTask(tokenCountingTask, { counting: 'estimate' as const });
  const cache = createAnswerCache({ maxEntries: 1_000, maxCharacters: 100_000, now: () => 0 });
  const task = {
    scope: 'estimate',
    cache,
    run: (texts: readonly string[], signal: AbortSignal) => {
      jobs.push(sumLengths(texts));
      return run(texts, signal);
    },
  };
  return { jobs, count: () => createPromptCounter(task, requestArgs([])) };
}
const listSteps = (count: number, words: number) =>
  Array.from({ length: count }, (_, at) => makeStep(`c${at}`, { at }, `Page ${at}. ${writeWords(words)}`)).flat();

test('a step counts the long texts that it adds, and no result of an earlier step again', async () => {
  const { jobs, count } = startCounting();
  const first = await count().countMessages([userText('Go.'), ...listSteps(20, 2_000)]);
  const before = jobs.splice(0).reduce((sum, cost) => sum + cost, 0);
  const second = await count().countMessages([userText('Go.'), ...listSteps(21, 2_000)]);
  expect(second.slice(0, first.length)).toEqual(first);
  expect(jobs.reduce((sum, cost) => sum + cost, 0)).toBeLessThan(before / 10);
});

test('a prompt with more text than the bound of a job is counted in several jobs', async () => {
  const { jobs, count } = startCounting();
  const tokens = await count().countMessages(listSteps(12, 100_000));
  expect(jobs.reduce((sum, cost) => sum + cost, 0)).toBeGreaterThan(BOUNDS.characters);
  expect(jobs.length).toBeGreaterThan(5);
  expect(tokens[1]).toBeGreaterThan(100_000);
});
