import { buildTextMessage, type RunRef } from '@millrace/contracts';
import { inputArgs, TEST_RUN } from '@millrace/testkit';
import { expect, test } from 'vitest';
import type { Task } from '../work/task.ts';
import { createCleanTexts } from './clean-texts.ts';
import type { GuardHit } from './report.ts';
import { judgeMessages, type TextGuard } from './text-guard.ts';

const runWithId = (runId: string): RunRef => ({ ...TEST_RUN, runId });
const clean = 'A sentence of plain words that holds no finding.';
const dirty = 'A sentence of plain words with BAD inside of it.';

/** A guard that finds BAD and records each judged text. */
function countingGuard(more: Partial<TextGuard> = {}) {
  const judged: string[] = [];
  const find = (text: string): GuardHit[] => {
    const start = text.indexOf('BAD');
    return start < 0 ? [] : [{ rule: 'bad', start, end: start + 3 }];
  };
  const now = (texts: readonly string[]) => {
    judged.push(...texts);
    return texts.map((text) => [find(text)]);
  };
  const task: Task<GuardHit[][]> = { runNow: now, run: async (texts) => ({ found: now(texts) }) };
  const guard: TextGuard = {
    strategy: 'redact',
    response: 'No.',
    describe: () => 'Found.',
    remembersClean: true,
    task,
    rules: [{ heldIn: 'held', placesIn: 'places', find, findSettledEnd: (text) => text.length }],
    mark: () => '***',
    mapValue: (value) => value,
    ...more,
  };
  const judge = async (texts: readonly string[], run: RunRef) => {
    const messages = texts.map((text, at) => buildTextMessage(`m${at}`, 'user', text));
    return judgeMessages(guard, { ...inputArgs([]), run }, messages);
  };
  return { judged, judge };
}

test('a guard judges a text without findings once in a run, and again in another run', async () => {
  const { judged, judge } = countingGuard({ mapValue: mapText });
  const run = runWithId(crypto.randomUUID());
  await judge([clean], run);
  await judge([clean], run);
  expect(judged).toEqual([clean]);
  await judge([clean], runWithId(crypto.randomUUID()));
  expect(judged).toEqual([clean, clean]);
});

test('a guard judges a text with findings, and one that differs in a character, each time', async () => {
  const { judged, judge } = countingGuard({ mapValue: mapText });
  const run = runWithId(crypto.randomUUID());
  for (let time = 0; time < 2; time += 1) {
    const [message] = await judge([dirty], run);
    expect(JSON.stringify(message)).toContain('with *** inside');
  }
  await judge([clean], run);
  await judge([`${clean}.`], run);
  expect(judged).toEqual([dirty, dirty, clean, `${clean}.`]);
});

test('two guards do not share their memory, and a guard that does not opt in remembers nothing', async () => {
  const run = runWithId(crypto.randomUUID());
  const [first, second] = [countingGuard({ mapValue: mapText }), countingGuard({ mapValue: mapText })];
  await first.judge([clean], run);
  await second.judge([clean], run);
  expect(second.judged).toEqual([clean]);
  const forgetful = countingGuard({ mapValue: mapText, remembersClean: false });
  await forgetful.judge([clean], run);
  await forgetful.judge([clean], run);
  expect(forgetful.judged).toEqual([clean, clean]);
});

test('the memory holds a bounded number of characters, and forgets the runs that were used least recently', () => {
  const guard = {};
  const memory = createCleanTexts(300);
  const text = (name: string) => name.repeat(100);
  for (const name of ['a', 'b', 'c']) memory.add(guard, runWithId(name), text(name));
  expect(memory.has(guard, runWithId('a'), text('a'))).toBe(true);
  memory.add(guard, runWithId('d'), text('d'));
  expect(['a', 'b', 'c', 'd'].filter((name) => memory.has(guard, runWithId(name), text(name)))).toEqual([
    'a',
    'c',
    'd',
  ]);
  memory.add(guard, runWithId('e'), 'e'.repeat(301));
  memory.add(guard, runWithId('e'), 'short');
  expect(memory.has(guard, runWithId('e'), 'e'.repeat(301))).toBe(false);
  expect(memory.has(guard, runWithId('e'), 'short')).toBe(false);
});

/** Maps the text of a message's only part. */
function mapText(value: Parameters<TextGuard['mapValue']>[0], map: Parameters<TextGuard['mapValue']>[1]) {
  return typeof value === 'string' ? map(value) : value;
}
