// Defines a processor of a test by its methods: their names are its stages.
import { STAGES } from '@millrace/contracts';
import type { Processor, ProcessorDefinition } from '@millrace/processor';
import { z } from 'zod';

/** @param more replaces members: without it the processor has no options and reads nothing */
export function defineMethods(
  id: string,
  methods: Omit<Processor, 'id'>,
  more: Partial<ProcessorDefinition> = {},
): ProcessorDefinition {
  return {
    id,
    description: 'of a test',
    stages: STAGES.filter((stage) => stage in methods),
    reads: [],
    options: z.strictObject({}),
    create: () => ({ id, ...methods }),
    ...more,
  };
}
