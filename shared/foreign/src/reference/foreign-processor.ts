// A processor of the reference interface as a definition of ours: nothing of it is changed, everything around it is.
import { type ProcessorDefinition, type ProcessorMethods, runProcessorService } from '@millrace/processor';
import type { z } from 'zod';
import { cannotBeServed, createMaker, type AdaptedDefinition, type SourceOf } from '../processor-source.ts';
import type { Foreign, StageBridge } from './foreign-call.ts';
import { foreignState } from './foreign-state.ts';
import { attributeViolations } from './foreign-violations.ts';
import { createMessageStages } from './message-stages.ts';
import { createModelStages } from './model-stages.ts';
import { createOutputStreamStage } from './output-stream-stage.ts';
import { findProblem, listStages, type ForeignProcessor, type ForeignStage } from './reference-interface.ts';

export type ForeignSource<S extends z.ZodType = z.ZodType> = SourceOf<ForeignProcessor, S>;
export type ForeignDefinition<S extends z.ZodType = z.ZodType> = AdaptedDefinition<S> & {
  /** Required if the factory fails with default options. */
  stages?: readonly ForeignStage[];
};

/** @throws processor-invalid with the reason */
export function foreignProcessor<S extends z.ZodType>(
  source: ForeignSource<S>,
  given: ForeignDefinition<S>,
): ProcessorDefinition {
  const { id } = given;
  const made = createMaker(source, given, (processor) => readForeign(id, processor));
  const like = given.stages === undefined ? made.sample().processor : tryCreateSample(made.sample)?.processor;
  const stages = [...(given.stages ?? (like ? listStages(like) : []))];
  if (stages.length === 0) throw cannotBeServed(id, 'it has no method of any stage');
  const { description = like?.description ?? like?.name ?? made.base.description } = given;
  return {
    ...made.base,
    description,
    stages,
    processDataParts: like?.processDataParts ?? false,
    stateCodec: foreignState,
    create: (options) => ({ id, ...bridgeStages(made.create(options), stages) }),
  };
}

/** With declared stages, a processor with required options is created at its first call. */
function tryCreateSample(sample: () => Foreign): Foreign | undefined {
  try {
    return sample();
  } catch {
    return undefined;
  }
}

function readForeign(id: string, processor: ForeignProcessor): Foreign {
  const problem = findProblem(processor);
  if (problem !== undefined) throw cannotBeServed(id, problem);
  return { processor, violations: attributeViolations(processor) };
}

function bridgeStages(foreign: Foreign, stages: readonly ForeignStage[]): ProcessorMethods {
  const missing = stages.find((stage) => typeof foreign.processor[stage] !== 'function');
  if (missing !== undefined) throw cannotBeServed(foreign.processor.id, `it has no method ${missing}`);
  const all: StageBridge = {
    ...createMessageStages(foreign),
    ...createModelStages(foreign),
    ...createOutputStreamStage(foreign),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => stages.some((stage) => stage === name)));
}

/**
 * Serves an unmodified processor of the reference: the whole main.ts of its service. Ends the process: 0 after a
 * signal and a drain, 1 with the reason. The service is named like the processor.
 */
export function serveForeign<S extends z.ZodType>(
  source: ForeignSource<S>,
  definition: ForeignDefinition<S>,
): Promise<void> {
  const { id, version } = definition;
  return runProcessorService({ name: id, version, processors: [foreignProcessor(source, definition)] });
}
