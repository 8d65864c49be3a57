// What an object of the reference interface looks like from outside: methods by the names of stages, whatever their types are. Nothing of
// the reference is imported; an object of its classes has this shape.
import { STAGES, type Stage } from '@millrace/contracts';

/** Ours alone: the reference has nothing that is called before a tool. */
export type ForeignStage = Exclude<Stage, 'processToolCall'>;
const FOREIGN_STAGES: readonly ForeignStage[] = STAGES.filter(
  (stage): stage is ForeignStage => stage !== 'processToolCall',
);

/** Any method: what it takes is known only to who wrote it. */
type Method = (args: never) => unknown;

export type ForeignProcessor = {
  readonly id: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly processDataParts?: boolean | undefined;
  onViolation?: ((violation: never) => unknown) | undefined;
} & { readonly [S in ForeignStage]?: Method | undefined };

/** What the reference calls beside its stages and nothing here does: a processor that needs it would look as if it worked. */
const NOT_CALLED: Readonly<Record<string, string>> = {
  computeStateSignal: 'signals need the thread metadata of the memory that the reference runs beside it',
  createRun: 'a workflow is run by the engine of the reference',
};

export function stagesOf(processor: ForeignProcessor): ForeignStage[] {
  return FOREIGN_STAGES.filter((stage) => typeof processor[stage] === 'function');
}

/** Why the object cannot be served; undefined: it can. */
export function problemOf(processor: unknown): string | undefined {
  if (typeof processor !== 'object' || processor === null) return `it is a ${typeof processor}, not an object`;
  const found = Object.entries(NOT_CALLED).find(([name]) => typeof Reflect.get(processor, name) === 'function');
  return found && `it has "${found[0]}": ${found[1]}`;
}
