// Defines a processor with the given methods, and calls several in a stage call as a replica does.
import type { Stage, StageInput } from '@millrace/contracts';
import { callContext, callEntry, defineMethods, stageCall } from '@millrace/testkit';
import { z } from 'zod';
import { callStage, type StageOutcome } from '../serve/call-stage.ts';
import { createHostedProcessors } from '../serve/hosted-processor.ts';
import type { Processor } from '../processor/processor.ts';
import type { ProcessorDefinition } from '../processor/processor-definition.ts';

export type Methods = Omit<Processor, 'id'>;
const options = z.strictObject({ limit: z.number().default(1) });
export const define = (id: string, methods: Methods, more: Partial<ProcessorDefinition> = {}): ProcessorDefinition =>
  defineMethods(id, methods, { reads: ['input'], options, ...more });
export const call = (
  stage: Stage,
  definitions: ProcessorDefinition[],
  input: Partial<StageInput> = {},
): Promise<StageOutcome> =>
  callStage(
    stageCall(
      stage,
      definitions.map(({ id }) => callEntry(id)),
      input,
    ),
    createHostedProcessors(definitions),
    callContext(),
  );
