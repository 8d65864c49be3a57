// Defines the source of an adapted processor: one object for all runs, or a factory with the agent's options.
import { MillraceError, READS_ALL, type Reads } from '@millrace/contracts';
import type { ProcessorDefinition } from '@millrace/processor';
import { z } from 'zod';

export type SourceOf<T, S extends z.ZodType = z.ZodType> = T | ((options: z.output<S>) => T);

/** Roles that the descriptor advertises. Default: none. */
type AdaptedRoles = Pick<ProcessorDefinition, 'judgesText' | 'judgesFiles' | 'addsText' | 'memoryKey'>;

export type AdaptedDefinition<S extends z.ZodType = z.ZodType> = AdaptedRoles & {
  /** Its name on the bus; an id that the object has stays its own affair. */
  id: string;
  /** Semantic version. */
  version: string;
  /** One sentence. */
  description?: string;
  /** Default: all. */
  reads?: readonly Reads[];
  /** Options of the factory: a strict object schema. */
  options?: S;
  /** Timeout of one call. Default: 5,000 ms. A processor that calls a model needs more. */
  timeoutMs?: number;
};

export type AdaptedMaker<M> = {
  create(options: unknown): M;
  /** Creates one with default options. @throws errors of the factory; processor-invalid if an option has no default */
  sample(): M;
  /** All of a definition but its stages and methods. */
  base: Omit<ProcessorDefinition, 'stages' | 'create'>;
};

/** @param prepare called once for each object, before anything else is done with it */
export function createMaker<T extends object, S extends z.ZodType, M>(
  source: SourceOf<T, S>,
  given: AdaptedDefinition<S>,
  prepare: (made: T) => M,
): AdaptedMaker<M> {
  const { id, version, reads = READS_ALL, timeoutMs, description = `${id}, of another framework` } = given;
  const options = given.options ?? z.strictObject({});
  const create =
    typeof source === 'function'
      ? createCheckedMaker(id, source, given.options, prepare)
      : createConstant(prepare(source));
  return {
    create,
    sample() {
      const defaults = options.safeParse({});
      if (defaults.success) return create(defaults.data);
      throw cannotBeServed(id, 'its options have no defaults to make one of');
    },
    base: {
      id,
      version,
      description,
      reads: [...reads],
      options,
      ...(given.judgesText && { judgesText: true }),
      ...(given.judgesFiles && { judgesFiles: given.judgesFiles }),
      ...(given.addsText && { addsText: true }),
      ...(given.memoryKey && { memoryKey: given.memoryKey }),
      ...(timeoutMs !== undefined && { policy: { timeoutMs } }),
    },
  };
}

const createConstant =
  <M>(made: M) =>
  (): M =>
    made;

function createCheckedMaker<T, S extends z.ZodType, M>(
  id: string,
  make: (options: z.output<S>) => T,
  schema: S | undefined,
  prepare: (made: T) => M,
) {
  return (options: unknown): M => {
    try {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without a schema the function takes nothing
      return prepare(make(schema ? schema.parse(options) : (options as z.output<S>)));
    } catch (error) {
      if (MillraceError.isInstance(error)) throw error;
      // Most check their options when they are made.
      const why = error instanceof Error ? error.message : String(error);
      throw new MillraceError('options-invalid', `"${id}" cannot be made of these options: ${why}`, {
        path: 'options',
      });
    }
  };
}

export function cannotBeServed(id: string, why: string): MillraceError {
  return new MillraceError('processor-invalid', `"${id}" cannot be served: ${why}.`, {
    remedy: 'Give an object of the interface, or a function that makes one of its options.',
  });
}
