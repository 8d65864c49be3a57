// Watches the next two orchestrators, and at the start the owners of all runs that are in flight: a single orchestrator's successor has no
// other peer. When one of them has left, one of its watchers requeues its runs. A stopped process has not left: its commands are delivered
// again after the ack wait.
import { toLoggedError } from '@millrace/contracts';
import { askPeer, findPeers, type JetStreamAccess } from '@millrace/bus';
import { setTimeout as delay } from 'node:timers/promises';
import { claimRuns } from './claim-from-lost-owner.ts';
import { findHeldRuns, type HeldRun } from './held-runs.ts';
import { choosePeers } from './peer-state.ts';
import { SUSPECTED_MS, present, reducePeer, type PeerState } from './peer-state.ts';

const ASK_EVERY_MS = 400;
/** An orchestrator that has started is unknown to the others for this long at most, and the time for answers. */
const CHECK_EVERY_MS = 1_000;

export function watchPeers(access: JetStreamAccess): { stop(): Promise<void> } {
  const { bus } = access;
  const stopping = new AbortController();
  const { signal } = stopping;
  const peers = new Set<string>();
  const watched = new Map<string, Promise<void>>();

  const watch = (id: string, isStillDue: () => boolean) => {
    if (id === bus.id || watched.has(id) || signal.aborted) return;
    const watching = watchOne({ access, id, signal, isStillDue }).then((outcome) => {
      watched.delete(id);
      if (outcome === 'left') peers.delete(id);
    });
    watched.set(id, watching);
  };
  const watchChosen = async () => {
    for (const id of await findPeers(bus)) peers.add(id);
    for (const id of choosePeers(bus.id, peers)) watch(id, () => choosePeers(bus.id, peers).includes(id));
  };
  const watchUntilStopped = async () => {
    await watchOwners(access, (id) => watch(id, () => false));
    while (!signal.aborted) {
      if (bus.hasConnection()) await watchChosen();
      await delay(CHECK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  const looking = watchUntilStopped();
  return {
    async stop() {
      stopping.abort();
      await Promise.all([looking, ...watched.values()]);
    },
  };
}

/** If the bus is away at the start, the owners' commands are delivered again after the ack wait. */
async function watchOwners(access: JetStreamAccess, watch: (owner: string) => void): Promise<void> {
  try {
    const owners = new Set((await findHeldRuns(access)).map(({ owner }) => owner));
    for (const owner of owners) watch(owner);
  } catch (error) {
    access.bus.log.warn(toLoggedError(error), 'owners of runs in flight unknown');
  }
}

type WatchedPeer = {
  access: JetStreamAccess;
  id: string;
  signal: AbortSignal;
  /** Whether a peer that answers is still watched. */
  isStillDue: () => boolean;
};

/** Resolves with `left` when the peer has left and no run of it is to be claimed any more; else when it need not be watched. */
async function watchOne({ access, id, signal, isStillDue }: WatchedPeer): Promise<'left' | 'unwatched'> {
  let state: PeerState = present;
  let before: readonly HeldRun[] = [];
  const checkPeer = async (): Promise<'left' | 'unwatched' | undefined> => {
    const answer = await askPeer(access.bus, id);
    state = reducePeer(state, { answer, at: performance.now(), connectedAt: access.bus.readConnectedAt() });
    if (state.phase === 'present') return isStillDue() ? undefined : 'unwatched';
    if (state.phase === 'left') {
      if (await claim(access, id, before)) return 'left';
      state = present;
    } else if (state.answers === 1) before = (await findHeldRuns(access)).filter(({ owner }) => owner === id);
    return undefined;
  };
  while (!signal.aborted) {
    const outcome = await checkPeer().catch((error: unknown) => {
      // Nothing can be read or claimed now: the peer is suspected from the beginning when the store is back.
      state = present;
      access.bus.log.debug({ peer: id, ...toLoggedError(error) }, 'peer cannot be watched, retrying');
    });
    if (outcome) return outcome;
    const pauseMs = state.phase === 'suspected' ? SUSPECTED_MS / 2 : ASK_EVERY_MS;
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return 'unwatched';
}

/** @returns false if the peer is alive after all */
async function claim(access: JetStreamAccess, id: string, before: readonly HeldRun[]): Promise<boolean> {
  const outcome = await claimRuns(access, id, before);
  const { log } = access.bus;
  if (outcome === 'alive')
    log.warn({ peer: id }, 'a peer cannot be reached and still writes heads: its runs are left to it');
  else if (typeof outcome === 'object')
    log.warn({ peer: id, runs: outcome.claimed }, 'a peer has left: its runs are requeued');
  return outcome !== 'alive';
}
