import type { PlanEntry, Stage } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { findOrderWarnings } from './order-warnings.ts';

type Listed = string | [string, Partial<PlanEntry>];
const guard = (entry: string, processor = entry): Listed => [entry, { processor, judgesText: true }];
const source = (entry: string): Listed => [entry, { addsText: true }];
const at = (stage: Stage, ...entries: Listed[]): string[] => {
  const all = entries.map((entry) => (typeof entry === 'string' ? planEntry(entry) : planEntry(...entry)));
  return findOrderWarnings(makePlan(all.map((entry) => ({ ...entry, stages: [stage] })))).map(({ message }) => message);
};
const history: Listed = ['message-history', { memory: true }];

describe('a guard before a source of text', () => {
  test('is reported', () => {
    expect(at('processInput', guard('pii'), source('files'))).toEqual([
      '"pii" precedes "files" in processInput, and does not see their text.',
    ]);
    expect(at('processInput', source('files'), guard('pii'))).toEqual([]);
  });

  test("is reported once, with all later sources, whatever its entry's name is", () => {
    const later = [source('files'), 'other', source('commands')];
    expect(at('processInputStep', guard('in', 'secrets'), ...later)).toEqual([
      '"in" precedes "files", "commands" in processInputStep, and does not see their text.',
    ]);
  });

  test('is not reported if the same guard is also after it, nor is an entry that is no guard', () => {
    expect(at('processInput', guard('pii'), source('files'), guard('pii-again', 'pii'))).toEqual([]);
    expect(at('processInput', 'mine', source('files'))).toEqual([]);
  });
});

describe('a guard after memory', () => {
  test('is reported for the input and for the output', () => {
    expect(at('processInput', history, guard('pii'))).toEqual([
      '"pii" follows memory ("message-history") in processInput, which has been read for an input that this entry may block.',
    ]);
    expect(at('processOutputResult', history, guard('pii'))).toEqual([
      '"pii" follows memory ("message-history") in processOutputResult, which has stored text that this entry would change.',
    ]);
  });

  test('is not reported for other stages and other processors', () => {
    expect(at('processInput', guard('pii'), history, 'tool-call-filter', 'token-limiter')).toEqual([]);
    expect(at('processOutputStream', history, guard('pii'))).toEqual([]);
  });
});
