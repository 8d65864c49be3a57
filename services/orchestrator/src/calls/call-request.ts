// Builds the head of every request to processors: the entries of the call, the run, their states and the time limits.
import {
  asTimeoutMs,
  findIndex,
  findReadsAt,
  getOwnMember,
  type CallEntry,
  type JsonValue,
  type PlanEntry,
  type Reads,
  type Stage,
} from '@millrace/contracts';
import type { Discovery } from '../peers/discovery.ts';
import { resolveMaxRetries } from '../settings/run-agent.ts';
import type { Run } from '../state/run-context.ts';

/**
 * Adjacent entries that one replica serves go into one call: three guards of one service cost one round trip. A memory
 * has a call of its own, because only the orchestrator labels the changes of the entries before it.
 */
export function mergeAdjacent(
  entries: readonly PlanEntry[],
  discovery: Pick<Discovery, 'isServedTogether'>,
): PlanEntry[][] {
  const groups: PlanEntry[][] = [];
  for (const entry of entries) {
    const group = groups.at(-1);
    const joins = group?.every((member) => member.memory === entry.memory && discovery.isServedTogether(member, entry));
    if (group && joins) group.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

/**
 * Returns whether the entry's save may be made after the run has ended: the agent accepts a run that the memory has not
 * saved.
 */
export const isDeferrable = ({ memory, onFailure }: PlanEntry): boolean => memory && onFailure === 'skip';

/** The entry with an answered suspension, with the answer. */
export type ResumedEntry = { entry: string; data: JsonValue };

/** `isLast`: the entries have no other attempt after this request. */
type CallRequestOptions = { resumed?: ResumedEntry | undefined; isLast: boolean };

export function callHead(run: Run, stage: Stage, entries: readonly PlanEntry[], options: CallRequestOptions) {
  const { requestContext, trace } = run.getState().request;
  return {
    callId: crypto.randomUUID(),
    run: run.ref,
    entries: entries.map((entry) => callEntry(run, stage, entry, options)),
    requestContext,
    ...(trace && { trace }),
    // A merged call's limit is the sum of its members'; the time of each of them is watched too.
    timeoutMs: asTimeoutMs(entries.reduce((sum, entry) => sum + entry.timeoutMs, 0)),
    remainingMs: asTimeoutMs(run.deadlineAt - performance.now()),
    maxProcessorRetries: resolveMaxRetries(run.agent, run.plan),
  };
}

function callEntry(
  run: Run,
  stage: Stage,
  { entry, processor, options, onFailure, attempts }: PlanEntry,
  { resumed, isLast }: CallRequestOptions,
): CallEntry {
  const index = findIndex(run.plan, stage, entry);
  const state = getOwnMember(run.getState().states, entry) ?? {};
  const skippable = onFailure === 'skip' && (isLast || attempts < 2);
  const called = {
    entry,
    processor,
    options,
    state,
    ...(index !== undefined && { index }),
    ...(skippable && { skippable }),
  };
  return resumed?.entry === entry ? { ...called, resumeData: resumed.data } : called;
}

/** Returns the union of what the entries read: a call carries nothing else. */
export function listReads(stage: Stage, entries: readonly PlanEntry[]): Reads[] {
  return entries.flatMap((entry) => findReadsAt(entry.reads, stage));
}
