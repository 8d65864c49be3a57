import type { PlanEntry, Stage } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { planEntry, planOf } from '../testing/plan-entries.ts';
import { orderWarnings } from './order-warnings.ts';

const at = (stage: Stage, ...entries: (string | [string, Partial<PlanEntry>])[]): string[] => {
  const all = entries.map((entry) => (typeof entry === 'string' ? planEntry(entry) : planEntry(...entry)));
  return orderWarnings(planOf(all.map((entry) => ({ ...entry, stages: [stage] })))).map(({ message }) => message);
};
const history: [string, Partial<PlanEntry>] = ['message-history', { memory: true }];

describe('a guard before what brings in text', () => {
  test.each(['at-file', 'shell-processor', 'memory-import', 'argument-processor', 'directory-context'])(
    '(%s) is told of',
    (source) => {
      expect(at('processInput', 'pii', source)).toEqual([
        `"pii" stands before "${source}" in processInput, and does not see what is brought in there.`,
      ]);
      expect(at('processInput', source, 'pii')).toEqual([]);
    },
  );

  test('is told of once, with all that come after it, whatever its entry is called', () => {
    expect(at('processInputStep', ['in', { processor: 'secrets' }], 'agents-md', 'other', 'ide-context')).toEqual([
      '"in" stands before "agents-md", "ide-context" in processInputStep, and does not see what is brought in there.',
    ]);
  });

  test('is not told of where the same guard stands behind it too, nor what is no guard', () => {
    expect(at('processInput', 'pii', 'at-file', ['pii-again', { processor: 'pii' }])).toEqual([]);
    expect(at('processInput', 'mine', 'at-file')).toEqual([]);
  });
});

describe('a guard after memory', () => {
  test('is told of on the way in and on the way out', () => {
    expect(at('processInput', history, 'pii')).toEqual([
      '"pii" stands after memory ("message-history") in processInput, which has read for an input that this may block.',
    ]);
    expect(at('processOutputResult', history, 'pii')).toEqual([
      '"pii" stands after memory ("message-history") in processOutputResult, which has stored what this would change.',
    ]);
  });

  test('is what other stages and other processors may be', () => {
    expect(at('processInput', 'pii', history, 'tool-call-filter', 'token-limiter')).toEqual([]);
    expect(at('processOutputStream', history, 'pii')).toEqual([]);
  });
});
