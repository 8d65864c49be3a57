// Describes an object of the reference interface structurally: methods by the names of stages, of any type. Imports
// nothing of the reference; an object of its classes has this shape.
import { STAGES, type Stage } from '@millrace/contracts';

/** Ours alone: the reference has nothing that is called before a tool. */
export type ForeignStage = Exclude<Stage, 'processToolCall'>;
const FOREIGN_STAGES: readonly ForeignStage[] = STAGES.filter(
  (stage): stage is ForeignStage => stage !== 'processToolCall',
);

/** Any method: its parameters are known only to its author. */
type Method = (args: never) => unknown;

export type ForeignProcessor = {
  readonly id: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly processDataParts?: boolean | undefined;
  onViolation?: ((violation: never) => unknown) | undefined;
} & { readonly [S in ForeignStage]?: Method | undefined };

/** Methods of the reference other than stages, which Millrace does not call: a processor that needs one is rejected. */
const NOT_CALLED: Readonly<Record<string, string>> = {
  computeStateSignal: 'signals need the thread metadata of the memory that only the reference has',
  createRun: 'a workflow is run by the engine of the reference',
};

export function listStages(processor: ForeignProcessor): ForeignStage[] {
  return FOREIGN_STAGES.filter((stage) => typeof processor[stage] === 'function');
}

/** Why the object cannot be served; undefined: it can. */
export function findProblem(processor: unknown): string | undefined {
  if (typeof processor !== 'object' || processor === null) return `it is a ${typeof processor}, not an object`;
  const found = Object.entries(NOT_CALLED).find(([name]) => typeof Reflect.get(processor, name) === 'function');
  return found && `it has "${found[0]}": ${found[1]}`;
}
