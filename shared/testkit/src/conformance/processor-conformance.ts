// The conformance suite of processors: the guarantees of every processor to the orchestrator. A processor's own test
// calls it and adds tests of its function:
//
//     processorConformance(pii, { options: [{}, { strategy: 'block' }], texts: ['write to ada@example.com'] });
import { describe, expect, test } from 'vitest';
import type { ProcessorDefinition } from '@millrace/processor';
import { definitionChecks } from './definition-checks.ts';
import { stageChecks } from './stage-checks.ts';
import { streamChecks } from './stream-checks.ts';
import type { ConformanceCheck, ConformanceCase, Subject } from './subject.ts';

export const CHECKS: readonly ConformanceCheck[] = [...definitionChecks, ...stageChecks, ...streamChecks];

/** Registers the suite's tests. */
export function processorConformance(
  definition: ProcessorDefinition | (() => ProcessorDefinition),
  given: ConformanceCase = {},
): void {
  const name = typeof definition === 'function' ? 'this processor' : definition.id;
  describe(`${name} is a processor: it`, () => {
    test.each(CHECKS)('$name', async ({ run }) => {
      const subject = createSubject(typeof definition === 'function' ? definition() : definition, given);
      expect(await run(subject)).toBeUndefined();
    });
  });
}

export function createSubject(definition: ProcessorDefinition, given: ConformanceCase = {}): Subject {
  return { definition, options: given.options ?? [{}], inputs: given.inputs ?? {}, texts: given.texts ?? [] };
}
