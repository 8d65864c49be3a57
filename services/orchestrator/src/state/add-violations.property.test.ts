import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { toPublicViolations, type Violation } from '@millrace/contracts';
import { addViolations, MAX_RUN_VIOLATIONS } from './add-violations.ts';

const processors = ['pii', 'keyword', 'secrets'];
const violation: fc.Arbitrary<Violation> = fc
  .record({
    processorId: fc.constantFrom(...processors),
    message: fc.constant('found'),
    rule: fc.option(
      fc.integer({ min: 0, max: 5_000 }).map((at) => `rule-${at}`),
      { nil: undefined },
    ),
    count: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
  })
  .map(({ processorId, message, rule, count }) => ({
    processorId,
    message,
    ...(rule !== undefined && { rule }),
    ...(count !== undefined && { count }),
  }));
const steps = fc.array(fc.array(violation, { maxLength: 400, size: 'max' }), {
  minLength: 1,
  maxLength: 8,
  size: 'max',
});
const addAll = (found: Violation[][]) => found.reduce<Violation[]>(addViolations, []);
const sumCounts = (violations: readonly Violation[], processor: string) =>
  violations.reduce((sum, { processorId, count = 1 }) => sum + (processorId === processor ? count : 0), 0);

test('A run keeps a bounded number of violations, and the exact number of each processor', () => {
  fc.assert(
    fc.property(steps, (found) => {
      const kept = addAll(found);
      expect(kept.length).toBeLessThanOrEqual(MAX_RUN_VIOLATIONS + processors.length);
      for (const name of processors) expect(sumCounts(kept, name)).toBe(sumCounts(found.flat(), name));
    }),
    { numRuns: 30 },
  );
});

test('Violations within the bound are kept as they are, in their order', () => {
  fc.assert(
    fc.property(fc.array(fc.array(violation, { maxLength: 50 }), { maxLength: 5 }), (found) => {
      expect(addAll(found)).toEqual(found.flat());
    }),
  );
});

test('A caller reads the number of further violations as one without a rule, and a kept rule counts on', () => {
  const rules = Array.from({ length: MAX_RUN_VIOLATIONS + 5 }, (_, at) => `rule-${at}`);
  const found = rules.map((rule) => ({ processorId: 'pii', message: 'found', rule }));
  const shown = toPublicViolations(addAll([found, found.slice(0, 1)]));
  expect(shown).toHaveLength(MAX_RUN_VIOLATIONS + 1);
  expect([shown[0], shown.at(-1)]).toEqual([
    { processorId: 'pii', rule: 'rule-0', count: 2 },
    { processorId: 'pii', count: 5 },
  ]);
});
