// Drives the runs of the commands that this orchestrator takes, and stops them: for a `control` message, a drain, a new owner.
import { readParty, toLoggedError } from '@millrace/contracts';
import { waitAtMost, type Delivery } from '@millrace/bus';
import { driveRun } from './drive-run.ts';
import { requeueCommand } from './requeue-command.ts';
import { handleControls } from './handle-controls.ts';
import { createWaitingCommands } from './waiting-commands.ts';
import type { Deps } from '../state/run-context.ts';
import { FencedError } from '../streams/fenced-error.ts';
import { createRunStop, type RunStop } from '../state/run-stop.ts';

export type RunConsumer = {
  /** Resolves with the number of commands to pull from a consumer of the command queue, 1 or more, when one of them could begin. */
  awaitRoom(queue: string): Promise<number>;
  /** Begins the command's run in the turn of its tenant and its caller. */
  take(delivery: Delivery): void;
  /**
   * Hands waiting commands over at once. Runs in progress continue to their next checkpoint and are handed over there; a run that reaches
   * none in time is interrupted.
   */
  drain(graceMs: number): Promise<void>;
};

/** Part of a drain's time that is for interrupted runs: they are handed over as their last checkpoint left them. ms */
const INTERRUPT_MS = 1_500;
/** A fenced run has this long to notice, ms; then its place is free, and its command may be delivered again. */
const UNWIND_MS = 1_000;
/** Reserved places of tenants, and of callers, as a part of `maxRuns`; at least one. */
const RESERVED_PART = 1 / 8;

type Active = { delivery: Delivery; stop: RunStop; done: Promise<void>; acknowledged: boolean };

export type RunLimits = {
  /** Runs at once; an eighth more for tenants that have no run here, and for callers that have none. */
  maxRuns: number;
  /** Runs of one tenant at once. */
  maxRunsPerTenant: number;
};

/** @param draining ends the waiting for room: nothing more is pulled */
export function createRunConsumer(
  deps: Deps,
  { maxRuns, maxRunsPerTenant }: RunLimits,
  draining: AbortSignal,
): RunConsumer {
  const { bus } = deps.access;
  const active = new Map<string, Active>();
  /** The last command delivered for a run that is still driven here, by run. */
  const behind = new Map<string, Delivery>();
  let isLeaving = false;
  const controls = handleControls(deps, (key) => active.get(key)?.stop);
  const drive = async (delivery: Delivery, stop: RunStop) => {
    const connections = bus.countConnections();
    try {
      await driveRun(deps, delivery, stop);
    } catch (error) {
      if (error instanceof FencedError) return;
      deps.log.error(toLoggedError(error), 'run could not be driven, its command is redelivered');
      await requeueCommand(deps, delivery, stop.fenced, connections);
    }
  };
  const begin = (delivery: Delivery) => {
    const key = runKey(delivery);
    const stop = createRunStop();
    const acknowledge = async () => {
      await delivery.acknowledge();
      one.acknowledged = true;
    };
    const done = waitUntilReleased(drive({ ...delivery, acknowledge }, stop), stop.fenced).finally(() => {
      active.delete(key);
      const next = behind.get(key);
      behind.delete(key);
      if (next && isDue(next, one)) {
        // It keeps the place of its run.
        if (!isLeaving) return begin(next);
        next.handOver();
      }
      waiting.end(readParty(delivery.command.request));
    });
    const one: Active = { delivery, stop, done, acknowledged: false };
    active.set(key, one);
  };
  const waiting = createWaitingCommands({
    places: { maxRuns, reserved: Math.ceil(maxRuns * RESERVED_PART), maxRunsPerTenant },
    begin(delivery) {
      if (!active.has(runKey(delivery))) return begin(delivery);
      // Two commands of one run waited: the second one follows the first, in its place.
      behind.set(runKey(delivery), delivery);
      waiting.end(readParty(delivery.command.request));
    },
    isConnected: bus.hasConnection,
  });
  draining.addEventListener('abort', waiting.close, { once: true });
  return {
    awaitRoom: waiting.awaitRoom,
    take(delivery) {
      const key = runKey(delivery);
      if (active.has(key)) behind.set(key, delivery);
      else waiting.add(delivery);
    },
    async drain(graceMs) {
      isLeaving = true;
      waiting.close();
      const awaitActive = () => Promise.all([...active.values()].map(({ done }) => done));
      for (const { stop } of active.values()) stop.leave();
      const interruptMs = Math.min(INTERRUPT_MS, graceMs / 2);
      await waitAtMost(awaitActive(), graceMs - interruptMs);
      for (const { stop } of active.values()) stop.stop('leaving');
      await waitAtMost(awaitActive(), interruptMs);
      const left = [...active.values()];
      for (const { stop } of left) stop.fence();
      await waitAtMost(awaitActive(), UNWIND_MS);
      for (const delivery of [...left.map((one) => one.delivery), ...behind.values()]) delivery.handOver();
      controls.stop();
    },
  };
}

function runKey({ command: { request } }: Delivery): string {
  return `${request.tenant}.${request.runId}`;
}

/**
 * Returns whether a command that arrived while the run was driven here is due now. A redelivery of the same command is
 * not due if it was acked, or if the run has another owner: it is redelivered if that owner is lost.
 */
function isDue(next: Delivery, { delivery, stop, acknowledged }: Active): boolean {
  return next.sequence !== delivery.sequence || (!acknowledged && !stop.fenced.aborted);
}

/**
 * Resolves when the work is done, or some time after it was fenced: hanging work must not keep its place or its command
 * for ever.
 */
async function waitUntilReleased(work: Promise<void>, fenced: AbortSignal): Promise<void> {
  const letGo = Promise.withResolvers<void>();
  const onFenced = () => void waitAtMost(work, UNWIND_MS).then(letGo.resolve);
  fenced.addEventListener('abort', onFenced, { once: true });
  await Promise.race([work, letGo.promise]);
  fenced.removeEventListener('abort', onFenced);
}
