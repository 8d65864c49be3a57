// Checks a processor without calling it: its description, its options, its methods.
import assert from 'node:assert/strict';
import { processorDescriptorSchema, STAGES } from '@millrace/contracts';
import { describeProcessor } from '@millrace/processor';
import type { ConformanceCheck } from './subject.ts';

const UNKNOWN_OPTION = 'anUnknownOption';

export const definitionChecks: ConformanceCheck[] = [
  {
    name: 'describes itself for discovery',
    run({ definition }) {
      const parsed = processorDescriptorSchema.safeParse(JSON.parse(JSON.stringify(describeProcessor(definition))));
      assert.ok(parsed.success, `the descriptor does not fit: ${parsed.error?.message}`);
      assert.match(parsed.data.description, /\S/, 'the description is empty');
      assert.equal(new Set(definition.stages).size, definition.stages.length, 'a stage is declared twice');
    },
  },
  {
    name: 'its options are a strict object that JSON Schema can express, each with a description',
    run({ definition }) {
      const { type, additionalProperties, properties = {} } = describeProcessor(definition).optionsSchema;
      assert.equal(type, 'object', 'the options are no object');
      assert.equal(additionalProperties, false, 'the options are not strict');
      const undescribed = Object.entries(properties ?? {}).filter(
        ([, property]) => !/"description":/.test(JSON.stringify(property)),
      );
      assert.deepEqual(
        undescribed.map(([name]) => name),
        [],
        'options without a description',
      );
    },
  },
  {
    name: 'refuses an unknown option, and takes the options of the case',
    run({ definition, options }) {
      for (const given of options) {
        const parsed = definition.options.safeParse(given);
        assert.ok(parsed.success, `${JSON.stringify(given)} does not fit: ${parsed.error?.message}`);
        const unknown = definition.options.safeParse({ ...given, [UNKNOWN_OPTION]: 1 });
        assert.ok(!unknown.success, 'an unknown option was taken');
      }
    },
  },
  {
    name: 'has a method for every stage that it declares, and for no other',
    run({ definition, options }) {
      for (const given of options) {
        const processor = definition.create(definition.options.parse(given));
        assert.equal(processor.id, definition.id, 'the processor has another id than its definition');
        const methods = STAGES.filter((stage) => typeof processor[stage] === 'function');
        assert.deepEqual(
          methods,
          STAGES.filter((stage) => definition.stages.includes(stage)),
          'methods and stages differ',
        );
      }
    },
  },
];
