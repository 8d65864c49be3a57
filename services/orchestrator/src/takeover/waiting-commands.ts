// Keeps the deliveries that wait for a place in this process, and begins them in the order that the fair queue decides. Few commands wait
// here, and not for long: a delivery that waits belongs to this process alone, while another orchestrator may have a free place.
import { RUN_SHARDS, readParty, timings, type RunParty } from '@millrace/contracts';
import type { Delivery } from '@millrace/bus';
import {
  countOpenPlaces,
  countWaiting,
  createFairQueue,
  hasPlace,
  reduceQueue,
  type FairQueue,
  type RunPlaces,
  type QueueAction,
  type WaitingCommand,
} from './fair-queue.ts';

/** Commands of one consumer that may wait here; the consumer is not pulled while it has as many. */
const MAX_WAITING = 4;
/** Commands that one pull asks for at most. */
const MAX_BATCH = 32;

export type WaitingCommands = {
  /** Resolves with the number of commands to pull from a consumer when at least one of them could begin. */
  awaitRoom(queue: string): Promise<number>;
  add(delivery: Delivery): void;
  /** A run of the party has ended: its place is free. */
  end(party: RunParty): void;
  /** Hands every command over that waits; `awaitRoom` resolves at once from then on. */
  close(): void;
};

export type WaitingOptions = {
  places: RunPlaces;
  begin: (delivery: Delivery) => void;
  /** A word to the server that is buffered now reaches it when the command may have another owner. */
  isConnected: () => boolean;
};

type HeldDelivery = { delivery: Delivery; command: WaitingCommand; since: number; timer: NodeJS.Timeout };

export function createWaitingCommands({ places, begin, isConnected }: WaitingOptions): WaitingCommands {
  const held = new Map<number, HeldDelivery>();
  const forRoom = new Map<string, () => void>();
  let queue: FairQueue = createFairQueue(places);
  let isClosed = false;

  const isOpen = (name: string) => isClosed || (hasPlace(queue) && countWaiting(queue, name) < MAX_WAITING);
  const remove = ({ command, timer }: HeldDelivery) => {
    clearTimeout(timer);
    held.delete(command.id);
  };
  const dispatch = (action: QueueAction) => {
    const reduced = reduceQueue(queue, action);
    queue = reduced.queue;
    for (const { id } of reduced.begun) {
      const one = held.get(id);
      if (!one) continue;
      remove(one);
      begin(one.delivery);
    }
    for (const [name, resolve] of forRoom) if (isOpen(name)) resolve();
  };
  const handBack = (one: HeldDelivery) => {
    remove(one);
    if (!isStale(one) && isConnected()) one.delivery.handOver();
    dispatch({ action: 'returned', command: one.command });
  };
  const dropStale = () => {
    for (const one of held.values()) if (isStale(one)) handBack(one);
  };
  return {
    async awaitRoom(name) {
      if (!isOpen(name)) {
        await new Promise<void>((resolve) => forRoom.set(name, resolve));
        forRoom.delete(name);
      }
      return Math.min(1 + Math.floor(countOpenPlaces(queue) / RUN_SHARDS), MAX_BATCH);
    },
    add(delivery) {
      if (isClosed) return delivery.handOver();
      dropStale();
      const { sequence: id, queue: name } = delivery;
      const before = held.get(id);
      // The same command again: its former delivery no longer counts.
      if (before) return void held.set(id, { ...before, delivery });
      const command = { id, ...readParty(delivery.command.request), queue: name };
      const timer = setTimeout(() => {
        const one = held.get(id);
        if (one) handBack(one);
      }, timings.commandHoldMs);
      held.set(id, { delivery, command, since: performance.now(), timer });
      dispatch({ action: 'arrived', command });
    },
    end(party) {
      dropStale();
      dispatch({ action: 'ended', party });
    },
    close() {
      isClosed = true;
      for (const one of held.values()) handBack(one);
      for (const resolve of forRoom.values()) resolve();
    },
  };
}

const isStale = ({ since }: HeldDelivery): boolean => performance.now() - since > timings.commandStaleMs;
