// Decides which of the commands that wait in this process begins next, as a fold of actions. Pure.
//
// Tenants take turns: a free place is given to the tenant with the oldest last turn. Some places are on top of the others and
// are reserved for tenants that have no run here, so that a tenant with many runs never takes the last place.

export type RunPlaces = {
  /** Runs at once, without the reserved places. */
  maxRuns: number;
  /** Further places, for tenants that have no run here. */
  reserved: number;
  /** Runs of one tenant at once. */
  maxRunsPerTenant: number;
};

/** @param id unique among the commands that wait. @param queue the consumer that delivered the command */
export type WaitingCommand = { id: number; tenant: string; queue: string };

export type FairQueue = {
  places: RunPlaces;
  /** Runs in progress, by tenant; no tenant has 0. */
  running: ReadonlyMap<string, number>;
  /** Sum of `running`. */
  total: number;
  /** Commands by tenant, in the order of arrival; the tenants in the order of their turns. No list is empty. */
  waiting: ReadonlyMap<string, readonly WaitingCommand[]>;
};

export type QueueAction =
  | { action: 'arrived'; command: WaitingCommand }
  | { action: 'ended'; tenant: string }
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
      return beginNext(removeRun(queue, action.tenant));
    case 'returned':
      return { queue: removeWaiting(queue, action.command), begun: [] };
  }
}

/** Whether any tenant could begin a run. */
export const hasPlace = ({ places, total }: FairQueue): boolean => total < places.maxRuns + places.reserved;

/** Places that any tenant may take. */
export const countOpenPlaces = ({ places, total }: FairQueue): number => Math.max(places.maxRuns - total, 0);

/** Commands of one consumer that wait. */
export function countWaiting({ waiting }: FairQueue, name: string): number {
  let count = 0;
  for (const commands of waiting.values()) count += commands.filter(({ queue }) => queue === name).length;
  return count;
}

function beginNext(from: FairQueue): FairQueueStep {
  const begun: WaitingCommand[] = [];
  let queue = from;
  for (;;) {
    const next = findNextCommand(queue);
    if (!next) return { queue, begun };
    begun.push(next);
    queue = withRun(removeWaiting(queue, next), next.tenant);
  }
}

function findNextCommand(queue: FairQueue): WaitingCommand | undefined {
  for (const [tenant, [first]] of queue.waiting) if (first && mayBegin(queue, tenant)) return first;
  return undefined;
}

function mayBegin(queue: FairQueue, tenant: string): boolean {
  const { places, running } = queue;
  const own = running.get(tenant) ?? 0;
  return own < places.maxRunsPerTenant && (own === 0 ? hasPlace(queue) : countOpenPlaces(queue) > 0);
}

/** Moves the tenant to the end of the turns. */
function withRun(queue: FairQueue, tenant: string): FairQueue {
  const waiting = new Map(queue.waiting);
  const left = waiting.get(tenant);
  if (waiting.delete(tenant) && left) waiting.set(tenant, left);
  const running = new Map(queue.running).set(tenant, (queue.running.get(tenant) ?? 0) + 1);
  return { ...queue, running, total: queue.total + 1, waiting };
}

function removeRun(queue: FairQueue, tenant: string): FairQueue {
  const own = queue.running.get(tenant) ?? 0;
  if (own === 0) return queue;
  const running = new Map(queue.running);
  if (own > 1) running.set(tenant, own - 1);
  else running.delete(tenant);
  return { ...queue, running, total: queue.total - 1 };
}

function withWaiting(queue: FairQueue, command: WaitingCommand): FairQueue {
  const { tenant } = command;
  const waiting = new Map(queue.waiting).set(tenant, [...(queue.waiting.get(tenant) ?? []), command]);
  return { ...queue, waiting };
}

function removeWaiting(queue: FairQueue, { id, tenant }: WaitingCommand): FairQueue {
  const left = (queue.waiting.get(tenant) ?? []).filter((command) => command.id !== id);
  const waiting = new Map(queue.waiting);
  if (left.length > 0) waiting.set(tenant, left);
  else waiting.delete(tenant);
  return { ...queue, waiting };
}
