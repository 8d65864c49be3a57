// A processor of the reference interface as a definition of ours: nothing of it is changed, everything around it is.
import type { ProcessorDefinition, ProcessorMethods } from '@millrace/processor';
import type { z } from 'zod';
import { cannotBeServed, madeOf, type AdaptedDefinition, type SourceOf } from '../made-of.ts';
import type { Foreign, StageBridge } from './foreign-call.ts';
import { foreignState } from './foreign-state.ts';
import { attributeViolations } from './foreign-violations.ts';
import { messageStages } from './message-stages.ts';
import { modelStages } from './model-stages.ts';
import { outputStreamStage } from './output-stream-stage.ts';
import { problemOf, stagesOf, type ForeignProcessor, type ForeignStage } from './reference-interface.ts';

export type ForeignSource<S extends z.ZodType = z.ZodType> = SourceOf<ForeignProcessor, S>;
export type ForeignDefinition<S extends z.ZodType = z.ZodType> = AdaptedDefinition<S> & {
  /** Needed where a function makes nothing of the options' defaults. */
  stages?: readonly ForeignStage[];
};

/** @throws processor-invalid for what cannot be served, with the reason */
export function foreignProcessor<S extends z.ZodType>(
  source: ForeignSource<S>,
  given: ForeignDefinition<S>,
): ProcessorDefinition {
  const { id } = given;
  const made = madeOf(source, given, (processor) => foreignOf(id, processor));
  const like = given.stages === undefined ? made.sample().processor : sampled(made.sample)?.processor;
  const stages = [...(given.stages ?? (like ? stagesOf(like) : []))];
  if (stages.length === 0) throw cannotBeServed(id, 'it has no method of any stage');
  const { description = like?.description ?? like?.name ?? made.base.description } = given;
  return {
    ...made.base,
    description,
    stages,
    processDataParts: like?.processDataParts ?? false,
    stateCodec: foreignState,
    create: (options) => ({ id, ...bridged(made.create(options), stages) }),
  };
}

/** Where the stages are said, one that needs the agent's options is made at its first call. */
function sampled(sample: () => Foreign): Foreign | undefined {
  try {
    return sample();
  } catch {
    return undefined;
  }
}

function foreignOf(id: string, processor: ForeignProcessor): Foreign {
  const problem = problemOf(processor);
  if (problem !== undefined) throw cannotBeServed(id, problem);
  return { processor, violations: attributeViolations(processor) };
}

function bridged(foreign: Foreign, stages: readonly ForeignStage[]): ProcessorMethods {
  const missing = stages.find((stage) => typeof foreign.processor[stage] !== 'function');
  if (missing !== undefined) throw cannotBeServed(foreign.processor.id, `it has no method ${missing}`);
  const all: StageBridge = { ...messageStages(foreign), ...modelStages(foreign), ...outputStreamStage(foreign) };
  return Object.fromEntries(Object.entries(all).filter(([name]) => stages.some((stage) => stage === name)));
}
