// Defines a processor of a service: its id, the schema of its options, its reads, and its factory. One processor object
// serves all runs with equal options; data of a run is in `args.state`.
import {
  LIST_OF_STAGE,
  toJsonSchema,
  type JsonObject,
  type JudgesFiles,
  type ListName,
  type MemoryKey,
  type Positions,
  type ProcessorDescriptor,
  type ReadsByStage,
  type Stage,
  type StageChanges,
} from '@millrace/contracts';
import type { z } from 'zod';
import type { Processor } from './processor.ts';

/** Default limits. docs/semantics.md, section 6. */
export const DEFAULT_POLICY = { timeoutMs: 5_000, attempts: 2, onFailure: 'fail' } as const;
/** Timeout for processors that call a model. */
export const MODEL_TIMEOUT_MS = 30_000;

/** Serializes a state that is not JSON, for processors that were written for one process. */
export type StateCodec = {
  decode(stored: JsonObject): object;
  /** @throws state-not-serializable with the path */
  encode(state: object): JsonObject;
};

export type ProcessorDefinition = {
  id: string;
  /** Display name. */
  name?: string;
  /** One sentence, shown by `millrace processors list`. */
  description: string;
  /** Semantic version; absent: its service's. */
  version?: string;
  /** Names in other frameworks, for example `PIIDetector`. */
  aliases?: string[];
  /** The stages that `create` implements, in any order. */
  stages: Stage[];
  /** For all stages, or by stage. No other data is sent, and reading any other data throws an error that names it. */
  reads: ReadsByStage;
  /** Whether the processor may change its input, by stage; an absent stage may. An undeclared change is a failure. */
  changes?: StageChanges;
  /** True if processOutputStream also receives `data-*` chunks. */
  processDataParts?: boolean;
  /**
   * True if processLLMResponse also receives model calls that were cut off, with `cutOff` and no chunks: their tokens
   * are billed too.
   */
  processCutOff?: boolean;
  policy?: Partial<ProcessorDescriptor['policy']>;
  /** Options of agents that are applied from now on, unless an entry sets them or the option `unless`: stored plans keep the defaults of the schema. */
  newDefaults?: ProcessorDescriptor['newDefaults'];
  /** Default position in each list, 0 to 1000, memory at 500: `after` and `before` may name the processor if the list does not contain it. */
  positions?: Positions;
  /** True if the processor judges or redacts the texts of the call, and no later text: entries that add text belong before it. */
  judgesText?: boolean;
  /**
   * Kinds of files in messages of the source input that the processor judges in processInput: if it returns, the orchestrator
   * passes those files. `{ option }` names an option with a list of kinds.
   */
  judgesFiles?: JudgesFiles;
  /** True if the processor adds text to messages that no processor has judged: files, arguments, output of commands. */
  addsText?: boolean;
  /** The member of an agent's `memory` that this processor implements: its value is the processor's options. */
  memoryKey?: MemoryKey;
  /**
   * True if processOutputStep returns other texts than its input: they were streamed before, unless the agent buffers
   * them.
   */
  rewritesAnswers?: boolean;
  /**
   * Absent: the state is JSON. With a codec, timers in the state are cleared and dropped in every stage, not only in
   * sessions.
   */
  stateCodec?: StateCodec;
  /**
   * Loads prerequisites before a replica serves the processor, for example large data: loading it in the first call
   * would delay every other run.
   */
  prepare?(): Promise<void>;
  /** A strict object schema; every option has a default or is marked required. */
  options: z.ZodType;
  /** @param options the result of parsing with `options` */
  create(options: unknown): Processor;
};

/** The methods of a processor; the definition provides the id. */
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
    ...(definition.positions && { positions: definition.positions }),
    ...(definition.judgesText && { judgesText: true }),
    ...(definition.judgesFiles && { judgesFiles: definition.judgesFiles }),
    ...(definition.addsText && { addsText: true }),
    ...(definition.memoryKey && { memoryKey: definition.memoryKey }),
    ...(definition.name !== undefined && { name: definition.name }),
    processDataParts: acceptsDataParts(definition, withDefaults(definition)),
    ...(definition.processCutOff && { processCutOff: true }),
    ...(definition.rewritesAnswers && { rewritesAnswers: true }),
    optionsSchema: toJsonSchema(definition.options),
    ...(definition.newDefaults && { newDefaults: definition.newDefaults }),
    policy: { ...DEFAULT_POLICY, ...policy },
  };
}

/** Declared by the definition or by the processor itself. */
export function acceptsDataParts(definition: ProcessorDefinition, processor: Processor | undefined): boolean {
  return definition.processDataParts ?? processor?.processDataParts ?? false;
}

/** Returns the processor with its default options; undefined if some options are required. */
export function withDefaults({ options, create }: ProcessorDefinition): Processor | undefined {
  const defaults = options.safeParse({});
  if (!defaults.success) return undefined;
  try {
    return create(defaults.data);
  } catch {
    return undefined;
  }
}
