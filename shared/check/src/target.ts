// Which processor is checked, and with what.
import type { Bus } from '@millrace/bus';
import type { CallEntry, JsonObject, ProcessorDescriptor, RunRef, SrvInfo, ToolDefinition } from '@millrace/contracts';
import type { Cases } from './cases.ts';
import type { Random } from './random.ts';
import type { StartedReplica } from './start-replica.ts';

/** What is found of a service, whatever it serves. */
export type Served = {
  bus: Bus;
  /** What each of its replicas answered `$SRV.INFO`. */
  service: string;
  infos: readonly SrvInfo[];
  /** The replica that is asked by its own subject. */
  replica: string;
};

export type Target = Served & {
  descriptor: ProcessorDescriptor;
  /** Sets of options that fit; calls are made with each. */
  optionSets: readonly JsonObject[];
  cases: Cases;
  /** Replicas that the check has started, and may end. */
  started: readonly StartedReplica[];
  random: Random;
};

/** A tool is called on one subject, whichever replica takes it. */
export type ToolTarget = Served & { tool: ToolDefinition };

/** A run of a tenant and a thread that nobody else has. */
export function aloneRun(): RunRef {
  const id = crypto.randomUUID();
  return { tenant: `check-${id}`, runId: `run-${id}`, agent: 'check', epoch: 1, threadId: `t-${id}`, resourceId: id };
}

export function entryOf({ descriptor }: Target, options: JsonObject, more: Partial<CallEntry> = {}): CallEntry {
  return { entry: descriptor.id, processor: descriptor.id, options, state: {}, ...more };
}

/** The longest that one answer is waited for, ms: a processor may allow itself more, but 60 s are what a check takes. */
export const MAX_WAIT_MS = 20_000;
export const waitMs = ({ descriptor }: Target): number => Math.min(descriptor.policy.timeoutMs, MAX_WAIT_MS);
