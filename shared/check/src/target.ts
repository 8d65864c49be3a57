// Defines the target of a check with its options.
import type { Bus } from '@millrace/bus';
import type {
  CallEntry,
  JsonObject,
  ProcessorDescriptor,
  RunRef,
  SrvInfo,
  Stage,
  ToolDefinition,
} from '@millrace/contracts';
import type { Cases } from './cases.ts';
import type { Random } from './random.ts';
import type { StartedReplica } from './start-replica.ts';

/** Discovery data of a service. */
export type ServedTarget = {
  bus: Bus;
  /** Reply of each of its replicas to `$SRV.INFO`. */
  service: string;
  infos: readonly SrvInfo[];
  /** The replica that receives calls on its own subject. */
  replica: string;
};

export type CheckTarget = ServedTarget & {
  descriptor: ProcessorDescriptor;
  /** Valid sets of options; calls are made with each. */
  optionSets: readonly JsonObject[];
  cases: Cases;
  /** Replicas that the check has started, and may end. */
  started: readonly StartedReplica[];
  random: Random;
};

/** Returns the subject of a stage of one of the service's processors, or of one replica. */
export function buildStageSubject(
  { bus, service }: ServedTarget,
  stage: Stage,
  processor: string,
  replica?: string,
): string {
  return bus.subjects.stage(stage, { service, processor }, replica);
}

/** A tool is called on one subject; any replica may answer. */
export type ToolTarget = ServedTarget & { tool: ToolDefinition };

/** Returns a run with a tenant and a thread of its own. */
export function createLoneRun(): RunRef {
  const id = crypto.randomUUID();
  return { tenant: `check-${id}`, runId: `run-${id}`, agent: 'check', epoch: 1, threadId: `t-${id}`, resourceId: id };
}

export function buildCallEntry(
  { descriptor }: CheckTarget,
  options: JsonObject,
  more: Partial<CallEntry> = {},
): CallEntry {
  return { entry: descriptor.id, processor: descriptor.id, options, state: {}, ...more };
}

/** Maximum timeout of one answer, ms: a processor may declare more, but a check takes 60 s. */
export const MAX_WAIT_MS = 20_000;
export const waitMs = ({ descriptor }: CheckTarget): number => Math.min(descriptor.policy.timeoutMs, MAX_WAIT_MS);
