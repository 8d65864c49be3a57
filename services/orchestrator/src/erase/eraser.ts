// Makes erasures: each orchestrator looks for those that are due, and the one that writes the entry makes an attempt. An
// attempt repeats every step; a later attempt does not find the deleted data. A store that is unavailable puts the rest off.
// When nothing is left, everything is read and deleted once more after the saves under way have ended.
import { MAX_FENCED_RUNS, toWireError, type Erasure, type ErasedStore, type WireError } from '@millrace/contracts';
import { askForget, type JetStreamAccess } from '@millrace/bus';
import { startDueAttempts } from '../streams/attempt-due.ts';
import type { DeferredSaves } from '../saves/deferred-saves.ts';
import { eraseChanges, eraseDeadLetters, eraseEvents, eraseSaves, type LeftoverParts } from './erase-leftovers.ts';
import {
  deleteHead,
  eraseRunContent,
  listErasedRuns,
  stopRuns,
  type ErasableRun,
  type ErasedContent,
} from './erase-runs.ts';
import type { Erasures, StoredErasure } from './erasures.ts';

const POLL_EVERY_MS = 500;
/** If the orchestrator is lost, another one continues after this time. Each step extends it. */
const CLAIM_MS = 15_000;
/** The entry is written at most this often to extend the claim. */
const EXTEND_EVERY_MS = 3_000;
/** Longer than a save that was under way takes: the timeouts of the memories' stores, with their retries. */
const SETTLE_MS = 10_000;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;
/** Heads that are deleted between two extensions of the claim. */
const RUNS_AT_ONCE = 20;

export type EraserParts = {
  access: JetStreamAccess;
  erasures: Erasures;
  saves: DeferredSaves;
  /** Services that store data of resources. */
  services: readonly string[];
  settleMs?: number;
  claimMs?: number;
};

/** Returns a function that stops the eraser: attempts in progress end, and another orchestrator continues. */
export function startEraser(parts: EraserParts): () => Promise<void> {
  const { access, erasures } = parts;
  return startDueAttempts<StoredErasure>({
    listDue: () => erasures.listDue(access.clock.now()),
    getKey: ({ value: { tenant, resourceId } }) => JSON.stringify([tenant, resourceId]),
    async attempt(due, stopping) {
      await tryOnce(parts, due, stopping);
      return false;
    },
    onError(error) {
      access.bus.log.warn({ error: toWireError(error).message }, 'erasure failed, retrying later');
    },
    pollEveryMs: POLL_EVERY_MS,
  });
}

/** Thrown if another orchestrator makes the erasure, or this one stops. */
class ClaimLost extends Error {}

async function tryOnce(parts: EraserParts, due: StoredErasure, stopping: AbortSignal): Promise<void> {
  const { access, erasures, settleMs = SETTLE_MS, claimMs = CLAIM_MS } = parts;
  const wasConfirming = due.value.status === 'confirming';
  const drawNextClaim = () => access.clock.now() + claimMs;
  let claimed = await erasures.change(due, { tries: due.value.tries + 1, nextAt: drawNextClaim() });
  if (!claimed) return;
  let extendedAt = performance.now();
  const write = async (change: Partial<Erasure>) => {
    claimed = claimed && (await erasures.change(claimed, change));
    if (!claimed) throw new ClaimLost();
    extendedAt = performance.now();
  };
  const extend = async () => {
    if (stopping.aborted) throw new ClaimLost();
    if (performance.now() - extendedAt > Math.min(EXTEND_EVERY_MS, claimMs / 4))
      await write({ nextAt: drawNextClaim() });
  };
  const { value } = claimed;
  try {
    const stores = addUp(value.stores, await eraseOnce(parts, value, extend));
    const isComplete = stores.every(({ error, left }) => !error && left === 0);
    const now = access.clock.now();
    if (!isComplete) await write({ status: 'waiting', stores, nextAt: now + computeWaitMs(value.tries) });
    else if (wasConfirming) await write({ status: 'done', stores, nextAt: now });
    else await write({ status: 'confirming', stores, nextAt: now + settleMs });
  } catch (error) {
    if (!(error instanceof ClaimLost)) throw error;
    if (claimed) await erasures.change(claimed, { nextAt: access.clock.now() });
  }
}

const computeWaitMs = (tries: number): number => Math.min(FIRST_WAIT_MS * 2 ** Math.min(tries, 16), MAX_WAIT_MS);

/** Adds the deletions of this attempt to those of the earlier ones. Pure. */
export function addUp(before: readonly ErasedStore[], now: readonly ErasedStore[]): ErasedStore[] {
  const earlier = new Map(before.map(({ store, deleted }) => [store, deleted]));
  return now.map((one) => ({ ...one, deleted: one.deleted + (earlier.get(one.store) ?? 0) }));
}

async function eraseOnce(
  { access, saves, services }: EraserParts,
  erasure: Erasure,
  extend: () => Promise<void>,
): Promise<ErasedStore[]> {
  const heads = await listErasedRuns(access, erasure, extend);
  const active = await stopRuns(access, heads);
  // A run that is active could store its data again.
  if (active > 0) return [{ store: 'runs', deleted: 0, left: heads.length, error: describeActive(active) }];
  const asked = services.map((service) => capture(service, () => eraseInService(access, service, erasure, heads)));
  const inServices = await withExtensions(Promise.all(asked), extend);
  const runIds = new Set(heads.map(({ runId }) => runId));
  const leftovers: LeftoverParts = { access, saves, erasure, runIds, extend };
  let contents: ErasedContent = { events: 0, changes: 0 };
  const inNats = [
    await capture('saves', () => eraseSaves(leftovers)),
    await capture('dead-letters', () => eraseDeadLetters(leftovers)),
    await capture('events', async () => {
      contents = await deleteContents(access, heads, extend);
      const { deleted, left } = await eraseEvents(leftovers);
      return { deleted: deleted + contents.events, left };
    }),
    await capture('changes', async () => {
      const { deleted, left } = await eraseChanges(leftovers);
      return { deleted: deleted + contents.changes, left };
    }),
  ];
  const others = [...inServices, ...inNats];
  const isComplete = others.every(({ error, left }) => !error && left === 0);
  // The heads list the runs that the services have to fence.
  const runs = isComplete
    ? await capture('runs', () => deleteHeads(access, erasure, heads, extend))
    : { store: 'runs', deleted: 0, left: heads.length };
  return [runs, ...others];
}

type ErasureCounts = { deleted: number; left: number };

/** Errors of one store must not keep the others from being erased. */
async function capture(store: string, work: () => Promise<ErasureCounts>): Promise<ErasedStore> {
  try {
    return { store, ...(await work()) };
  } catch (error) {
    if (error instanceof ClaimLost) throw error;
    return { store, deleted: 0, error: toWireError(error) };
  }
}

async function eraseInService(
  access: JetStreamAccess,
  service: string,
  { tenant, resourceId }: Erasure,
  heads: readonly ErasableRun[],
): Promise<ErasureCounts> {
  const runs = heads.map(({ runId, threadId }) => ({ runId, ...(threadId !== undefined && { threadId }) }));
  const erased = { deleted: 0, left: 0 };
  for (let at = 0; at === 0 || at < runs.length; at += MAX_FENCED_RUNS) {
    const some = runs.slice(at, at + MAX_FENCED_RUNS);
    const { deleted, left = 0 } = await askForget(access.bus, service, {
      what: 'resource',
      tenant,
      resourceId,
      runs: some,
    });
    erased.deleted += deleted;
    erased.left = left;
  }
  return erased;
}

/** Keeps the claim while the services work. */
async function withExtensions<T>(work: Promise<T>, extend: () => Promise<void>): Promise<T> {
  let failure: unknown;
  const timer = setInterval(() => void extend().catch((error: unknown) => (failure ??= error)), 1_000);
  try {
    const result = await work;
    if (failure) throw failure;
    return result;
  } finally {
    clearInterval(timer);
  }
}

async function deleteContents(
  access: JetStreamAccess,
  heads: readonly ErasableRun[],
  extend: () => Promise<void>,
): Promise<ErasedContent> {
  const sum = { events: 0, changes: 0 };
  for (const head of heads) {
    const { events, changes } = await eraseRunContent(access, head);
    sum.events += events;
    sum.changes += changes;
    await extend();
  }
  return sum;
}

async function deleteHeads(
  access: JetStreamAccess,
  erasure: Erasure,
  heads: readonly ErasableRun[],
  extend: () => Promise<void>,
): Promise<ErasureCounts> {
  let deleted = 0;
  for (let at = 0; at < heads.length; at += RUNS_AT_ONCE) {
    const some = await Promise.all(heads.slice(at, at + RUNS_AT_ONCE).map((head) => deleteHead(access, head)));
    deleted += some.filter(Boolean).length;
    await extend();
  }
  return { deleted, left: (await listErasedRuns(access, erasure, extend)).length };
}

function describeActive(count: number): WireError {
  return {
    code: 'state-conflict',
    message: `${count} runs of the resource are cancelled and have not ended yet.`,
    remedy: 'Wait: the erasure continues when they have ended.',
  };
}
