import type { PlanEntry, Stage } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { planEntry, makePlan } from '../testing/plan-entries.ts';
import { orderWarnings } from './order-warnings.ts';

const at = (stage: Stage, ...entries: (string | [string, Partial<PlanEntry>])[]): string[] => {
  const all = entries.map((entry) => (typeof entry === 'string' ? planEntry(entry) : planEntry(...entry)));
  return orderWarnings(makePlan(all.map((entry) => ({ ...entry, stages: [stage] })))).map(({ message }) => message);
};
const history: [string, Partial<PlanEntry>] = ['message-history', { memory: true }];

describe('a guard before a source of text', () => {
  test.each(['at-file', 'shell-processor', 'memory-import', 'argument-processor', 'directory-context'])(
    '(%s) is reported',
    (source) => {
      expect(at('processInput', 'pii', source)).toEqual([
        `"pii" precedes "${source}" in processInput, and does not see their text.`,
      ]);
      expect(at('processInput', source, 'pii')).toEqual([]);
    },
  );

  test("is reported once, with all later sources, whatever its entry's name is", () => {
    expect(at('processInputStep', ['in', { processor: 'secrets' }], 'agents-md', 'other', 'ide-context')).toEqual([
      '"in" precedes "agents-md", "ide-context" in processInputStep, and does not see their text.',
    ]);
  });

  test('is not reported if the same guard is also after it, nor is an entry that is no guard', () => {
    expect(at('processInput', 'pii', 'at-file', ['pii-again', { processor: 'pii' }])).toEqual([]);
    expect(at('processInput', 'mine', 'at-file')).toEqual([]);
  });
});

describe('a guard after memory', () => {
  test('is reported for the input and for the output', () => {
    expect(at('processInput', history, 'pii')).toEqual([
      '"pii" follows memory ("message-history") in processInput, which has been read for an input that this entry may block.',
    ]);
    expect(at('processOutputResult', history, 'pii')).toEqual([
      '"pii" follows memory ("message-history") in processOutputResult, which has stored text that this entry would change.',
    ]);
  });

  test('is not reported for other stages and other processors', () => {
    expect(at('processInput', 'pii', history, 'tool-call-filter', 'token-limiter')).toEqual([]);
    expect(at('processOutputStream', history, 'pii')).toEqual([]);
  });
});
