// A processor as a service offers it: its id, the schema of its options, what it reads, and how to make one for given options.
// One processor object serves all runs that have the same options; what belongs to a run is in `args.state`.
import {
  LIST_OF_STAGE,
  toJsonSchema,
  type JsonObject,
  type ListName,
  type ProcessorDescriptor,
  type ReadsByStage,
  type Stage,
  type StageChanges,
} from '@millrace/contracts';
import type { z } from 'zod';
import type { Processor } from './processor.ts';

/** Default limits. docs/semantics.md, section 6. */
export const DEFAULT_POLICY = { timeoutMs: 5_000, attempts: 2, onFailure: 'fail' } as const;
/** Where a model judges. */
export const MODEL_TIMEOUT_MS = 30_000;

/** How a state that is more than JSON travels: for processors that were written for one process. */
export type StateCodec = {
  decode(stored: JsonObject): object;
  /** @throws state-not-serializable, naming the place */
  encode(state: object): JsonObject;
};

export type ProcessorDefinition = {
  id: string;
  /** To be shown beside the id. */
  name?: string;
  /** One sentence, shown by `millrace processors list`. */
  description: string;
  /** Semantic version; absent: its service's. */
  version?: string;
  /** The names that other frameworks use, for example `PIIDetector`. */
  aliases?: string[];
  /** The stages whose methods `create` gives, in any order. */
  stages: Stage[];
  /** For all stages, or for each. Nothing else is sent, and looking at anything else fails by name. */
  reads: ReadsByStage;
  /** Whether it may change what it judges: what is not named may be. Breaking it is a failure. */
  changes?: StageChanges;
  /** Whether processOutputStream also gets `data-*` chunks. */
  processDataParts?: boolean;
  /** Whether processLLMResponse is told of model calls that were cut off too, with `cutOff` and no chunks: what they took is paid all the same. */
  processCutOff?: boolean;
  policy?: Partial<ProcessorDescriptor['policy']>;
  /** Whether processOutputStep gives other texts than it was given: what streams has been shown by then, unless the agent holds it. */
  rewritesAnswers?: boolean;
  /** Absent: the state is JSON. With it timers in the state are ended and dropped in every stage, not in sessions alone. */
  stateCodec?: StateCodec;
  /** What must be there before a replica serves it, large data for example: a first call that loaded it would hold up every other run. */
  prepare?(): Promise<void>;
  /** A strict object schema; every option has a default or is marked required. */
  options: z.ZodType;
  /** @param options what `options` parsed */
  create(options: unknown): Processor;
};

/** A processor's methods; its id is the definition's. */
export type ProcessorMethods = Omit<Processor, 'id'> & { id?: string };

/** Ties the type of the options to `create`. */
export function defineProcessor<S extends z.ZodType>(
  definition: Omit<ProcessorDefinition, 'options' | 'create'> & {
    options: S;
    create(options: z.output<S>): ProcessorMethods;
  },
): ProcessorDefinition {
  const { id } = definition;
  return {
    ...definition,
    create: (options) => {
      const methods = definition.create(definition.options.parse(options));
      // Assigned, not spread: the methods may be those of a class.
      return Object.assign(methods, { id: methods.id ?? id });
    },
  };
}

export function describeProcessor(definition: ProcessorDefinition): ProcessorDescriptor {
  const { id, description, version = '0.1.0', stages, reads, aliases = [], policy } = definition;
  const lists: ListName[] = [...new Set(stages.map((stage) => LIST_OF_STAGE[stage]))];
  return {
    id,
    description,
    version,
    stages,
    reads,
    ...(definition.changes && { changes: definition.changes }),
    aliases,
    lists,
    ...(definition.name !== undefined && { name: definition.name }),
    processDataParts: takesDataParts(definition, withDefaults(definition)),
    ...(definition.processCutOff && { processCutOff: true }),
    ...(definition.rewritesAnswers && { rewritesAnswers: true }),
    optionsSchema: toJsonSchema(definition.options),
    policy: { ...DEFAULT_POLICY, ...policy },
  };
}

/** Said by the definition, or by the processor itself. */
export function takesDataParts(definition: ProcessorDefinition, processor: Processor | undefined): boolean {
  return definition.processDataParts ?? processor?.processDataParts ?? false;
}

/** The processor with its default options; undefined where it cannot be made without the agent's. */
export function withDefaults({ options, create }: ProcessorDefinition): Processor | undefined {
  const defaults = options.safeParse({});
  if (!defaults.success) return undefined;
  try {
    return create(defaults.data);
  } catch {
    return undefined;
  }
}
