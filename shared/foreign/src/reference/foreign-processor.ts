// A processor of the reference interface as a definition of ours: nothing of it is changed, everything around it is.
import { MillraceError, READS_ALL, type ProcessorDescriptor, type Reads } from '@millrace/contracts';
import type { ProcessorDefinition, ProcessorMethods } from '@millrace/processor';
import { z } from 'zod';
import { type Foreign, type StageBridge } from './foreign-call.ts';
import { foreignState } from './foreign-state.ts';
import { attributeViolations } from './foreign-violations.ts';
import { messageStages } from './message-stages.ts';
import { modelStages } from './model-stages.ts';
import { outputStreamStage } from './output-stream-stage.ts';
import { problemOf, stagesOf, type ForeignProcessor, type ForeignStage } from './reference-interface.ts';

/** One object for all runs, or one for each set of options. */
export type ForeignSource<S extends z.ZodType = z.ZodType> =
  | ForeignProcessor
  | ((options: z.output<S>) => ForeignProcessor);

export type ForeignDefinition<S extends z.ZodType = z.ZodType> = {
  /** Its name on the bus; the object's own id stays its own affair. */
  id: string;
  /** Semantic version. */
  version: string;
  /** One sentence; absent: the processor's. */
  description?: string;
  /** All, unless said. */
  reads?: readonly Reads[];
  /** What a factory takes: a strict object schema. */
  options?: S;
  /** Of one call; 5 000 unless said. A processor that asks a model needs more. */
  timeoutMs?: number;
  /** Needed where the factory makes nothing of the options' defaults. */
  stages?: readonly ForeignStage[];
};

/** @throws processor-invalid for what cannot be served, with the reason */
export function foreignProcessor<S extends z.ZodType>(
  source: ForeignSource<S>,
  given: ForeignDefinition<S>,
): ProcessorDefinition {
  const { id, version, reads = READS_ALL, timeoutMs } = given;
  const options = given.options ?? z.strictObject({});
  const create = typeof source === 'function' ? (value: unknown) => made(given, source, value) : once(given, source);
  const sample = sampleOf(given, options, create);
  const stages = [...(given.stages ?? (sample ? stagesOf(sample.processor) : []))];
  if (stages.length === 0) throw invalid(id, 'it has no method of any stage');
  return {
    id,
    version,
    description:
      given.description ?? sample?.processor.description ?? sample?.processor.name ?? `${id}, of another framework`,
    stages,
    reads: [...reads],
    processDataParts: sample?.processor.processDataParts ?? false,
    ...(timeoutMs !== undefined && { policy: { timeoutMs } satisfies Partial<ProcessorDescriptor['policy']> }),
    stateCodec: foreignState,
    options,
    create: (value) => ({ id, ...bridged(create(value), stages) }),
  };
}

type Create = (options: unknown) => Foreign;

function once({ id }: ForeignDefinition, source: ForeignProcessor): Create {
  const foreign = foreignOf(id, source);
  return () => foreign;
}

function made<S extends z.ZodType>(
  { id, options }: ForeignDefinition<S>,
  make: (options: z.output<S>) => ForeignProcessor,
  value: unknown,
): Foreign {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without a schema the factory takes nothing
    return foreignOf(id, make(options ? options.parse(value) : (value as z.output<S>)));
  } catch (error) {
    if (MillraceError.isInstance(error)) throw error;
    // Most check their options when they are made.
    const why = error instanceof Error ? error.message : String(error);
    throw new MillraceError('options-invalid', `"${id}" cannot be made of these options: ${why}`, { path: 'options' });
  }
}

function foreignOf(id: string, processor: ForeignProcessor): Foreign {
  const problem = problemOf(processor);
  if (problem !== undefined) throw invalid(id, problem);
  return { processor, violations: attributeViolations(processor) };
}

/** What it is like is read from one that is made of the defaults. */
function sampleOf({ id, stages }: ForeignDefinition, options: z.ZodType, create: Create): Foreign | undefined {
  const defaults = options.safeParse({});
  try {
    if (defaults.success) return create(defaults.data);
  } catch (error) {
    if (stages === undefined) throw error;
    return undefined;
  }
  if (stages !== undefined) return undefined;
  throw invalid(id, 'its options have no defaults to make one of');
}

function bridged(foreign: Foreign, stages: readonly ForeignStage[]): ProcessorMethods {
  const missing = stages.find((stage) => typeof foreign.processor[stage] !== 'function');
  if (missing !== undefined) throw invalid(foreign.processor.id, `it has no method ${missing}`);
  const all: StageBridge = { ...messageStages(foreign), ...modelStages(foreign), ...outputStreamStage(foreign) };
  const own = Object.fromEntries(Object.entries(all).filter(([name]) => stages.some((stage) => stage === name)));
  return own;
}

function invalid(id: string, why: string): MillraceError {
  return new MillraceError('processor-invalid', `"${id}" cannot be served: ${why}.`, {
    remedy:
      'Give an object of the reference interface, or a function that makes one of its options; name its stages where it needs options.',
  });
}
