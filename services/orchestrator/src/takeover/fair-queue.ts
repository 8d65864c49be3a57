// Decides which of the commands that wait in this process begins next, as a fold of actions. Pure.
//
// Tenants take turns, and so do the callers of a tenant: a free place is given to the party with the oldest last turn. Some places are on
// top of the others and are reserved for tenants that have no run here, and as many for callers that have none, so that no party with many
// runs takes the last place.

import type { RunParty } from '@millrace/contracts';

export type RunPlaces = {
  /** Runs at once, without the reserved places. */
  maxRuns: number;
  /** Further places for tenants that have no run here, and as many for callers that have none. */
  reserved: number;
  /** Runs of one tenant at once, without the reserved places of its callers. */
  maxRunsPerTenant: number;
};

/** @param id unique among the commands that wait. @param queue the consumer that delivered the command */
export type WaitingCommand = RunParty & { id: number; queue: string };

/** Values of each caller, by tenant. No map is empty. */
type ByParty<T> = ReadonlyMap<string, ReadonlyMap<string, T>>;

export type FairQueue = {
  places: RunPlaces;
  /** Runs in progress; no caller has 0. */
  running: ByParty<number>;
  /** Sum of `running`. */
  total: number;
  /** Commands in the order of arrival; tenants and callers in the order of their turns. No list is empty. */
  waiting: ByParty<readonly WaitingCommand[]>;
};

export type QueueAction =
  | { action: 'arrived'; command: WaitingCommand }
  | { action: 'ended'; party: RunParty }
  /** The command left this process without having begun. */
  | { action: 'returned'; command: WaitingCommand };

/** `begun`: the commands that begin now, in order. */
export type FairQueueStep = { queue: FairQueue; begun: WaitingCommand[] };

export function createFairQueue(places: RunPlaces): FairQueue {
  return { places, running: new Map(), total: 0, waiting: new Map() };
}

export function reduceQueue(queue: FairQueue, action: QueueAction): FairQueueStep {
  switch (action.action) {
    case 'arrived':
      return beginNext(withWaiting(queue, action.command));
    case 'ended':
      return beginNext(withRuns(queue, action.party, -1));
    case 'returned':
      return { queue: removeWaiting(queue, action.command), begun: [] };
  }
}

/** Whether a tenant without a run could begin one. */
export const hasPlace = ({ places, total }: FairQueue): boolean => total < places.maxRuns + 2 * places.reserved;

/** Places that any tenant may take. */
export const countOpenPlaces = ({ places, total }: FairQueue): number => Math.max(places.maxRuns - total, 0);

/** Runs of the tenant in progress. */
export const countRuns = ({ running }: FairQueue, tenant: string): number =>
  [...(running.get(tenant)?.values() ?? [])].reduce((sum, count) => sum + count, 0);

/** Commands of one consumer that wait. */
export function countWaiting({ waiting }: FairQueue, name: string): number {
  let count = 0;
  for (const callers of waiting.values())
    for (const commands of callers.values()) count += commands.filter(({ queue }) => queue === name).length;
  return count;
}

function beginNext(from: FairQueue): FairQueueStep {
  const begun: WaitingCommand[] = [];
  let queue = from;
  for (;;) {
    const next = findNextCommand(queue);
    if (!next) return { queue, begun };
    begun.push(next);
    queue = withRuns(moveToEnd(removeWaiting(queue, next), next), next, 1);
  }
}

function findNextCommand(queue: FairQueue): WaitingCommand | undefined {
  for (const callers of queue.waiting.values())
    for (const [first] of callers.values()) if (first && mayBegin(queue, first)) return first;
  return undefined;
}

function mayBegin(queue: FairQueue, { tenant, caller }: RunParty): boolean {
  const { places, running, total } = queue;
  const { maxRuns, reserved, maxRunsPerTenant } = places;
  if (!running.has(tenant)) return hasPlace(queue);
  // Places on top, which a caller with runs does not take.
  const further = running.get(tenant)?.has(caller) ? 0 : reserved;
  return total < maxRuns + further && countRuns(queue, tenant) < maxRunsPerTenant + further;
}

/** Ends the turn of the party. */
function moveToEnd(queue: FairQueue, { tenant, caller }: RunParty): FairQueue {
  const callers = new Map(queue.waiting.get(tenant));
  if (callers.size === 0) return queue;
  const commands = callers.get(caller);
  if (callers.delete(caller) && commands) callers.set(caller, commands);
  const waiting = new Map(queue.waiting);
  waiting.delete(tenant);
  return { ...queue, waiting: waiting.set(tenant, callers) };
}

function withRuns(queue: FairQueue, { tenant, caller }: RunParty, more: 1 | -1): FairQueue {
  const own = queue.running.get(tenant)?.get(caller) ?? 0;
  if (own + more < 0) return queue;
  const running = setOfParty(queue.running, { tenant, caller }, own + more === 0 ? undefined : own + more);
  return { ...queue, running, total: queue.total + more };
}

function withWaiting(queue: FairQueue, command: WaitingCommand): FairQueue {
  const own = queue.waiting.get(command.tenant)?.get(command.caller) ?? [];
  return { ...queue, waiting: setOfParty(queue.waiting, command, [...own, command]) };
}

function removeWaiting(queue: FairQueue, command: WaitingCommand): FairQueue {
  const own = queue.waiting.get(command.tenant)?.get(command.caller) ?? [];
  const left = own.filter(({ id }) => id !== command.id);
  return { ...queue, waiting: setOfParty(queue.waiting, command, left.length > 0 ? left : undefined) };
}

/** Keeps the order of tenants and callers. */
function setOfParty<T>(all: ByParty<T>, { tenant, caller }: RunParty, value: T | undefined): ByParty<T> {
  const callers = new Map(all.get(tenant));
  if (value === undefined) callers.delete(caller);
  else callers.set(caller, value);
  const tenants = new Map(all);
  if (callers.size > 0) tenants.set(tenant, callers);
  else tenants.delete(tenant);
  return tenants;
}
