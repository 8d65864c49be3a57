// The conformance suite of processors: what every processor promises to the orchestrator, whatever it does. A processor's own test
// calls it and adds what only that processor does:
//
//     processorConformance(pii, { options: [{}, { strategy: 'block' }], texts: ['write to ada@example.com'] });
import { describe, expect, test } from 'vitest';
import type { ProcessorDefinition } from '@millrace/processor';
import { definitionChecks } from './definition-checks.ts';
import { stageChecks } from './stage-checks.ts';
import { streamChecks } from './stream-checks.ts';
import type { Check, ConformanceCase, Subject } from './subject.ts';

export const CHECKS: readonly Check[] = [...definitionChecks, ...stageChecks, ...streamChecks];

/**
 * Registers the suite's tests.
 * @param definition a function where the processor is there only when the tests run: its store is opened in a hook
 */
export function processorConformance(
  definition: ProcessorDefinition | (() => ProcessorDefinition),
  given: ConformanceCase = {},
): void {
  const name = typeof definition === 'function' ? 'this processor' : definition.id;
  describe(`${name} is a processor: it`, () => {
    test.each(CHECKS)('$name', async ({ run }) => {
      const subject = subjectOf(typeof definition === 'function' ? definition() : definition, given);
      expect(await run(subject)).toBeUndefined();
    });
  });
}

export function subjectOf(definition: ProcessorDefinition, given: ConformanceCase = {}): Subject {
  return { definition, options: given.options ?? [{}], inputs: given.inputs ?? {}, texts: given.texts ?? [] };
}
