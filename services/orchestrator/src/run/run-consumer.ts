// Takes commands while there is room: one per free slot, so that what cannot start here waits where others can take it.
import { controlSchema, loggedError, tenantAndRun } from '@millrace/contracts';
import { listen, within, type Delivery } from '@millrace/bus';
import { driveRun } from './drive-run.ts';
import { giveBack } from './give-back.ts';
import { createTenantShares } from './tenant-shares.ts';
import type { Deps } from '../state/run-context.ts';
import { FencedError } from '../state/fenced-error.ts';
import { createRunStop, type RunStop } from '../state/run-stop.ts';

export type RunConsumer = {
  /** Resolves when there is room for another run. */
  take(delivery: Delivery): Promise<void>;
  /** Runs under way go on to their next checkpoint, and are handed to other orchestrators; what does not come to one in time is interrupted. */
  drain(graceMs: number): Promise<void>;
};

/** Of the time that a stop may take, so much is for what must be interrupted: it is handed over as its last checkpoint left it. ms */
const INTERRUPT_MS = 1_500;
/** What was fenced has this long to notice, ms; then its place is free, and its command may come again. */
const UNWIND_MS = 1_000;

type Active = { delivery: Delivery; stop: RunStop; done: Promise<void>; acknowledged: boolean };

export type RunLimits = {
  maxRuns: number;
  /** Of one tenant: one that submits many must not take every place. */
  maxRunsPerTenant: number;
};

/** @param draining nothing more is taken: nobody waits for room any longer */
export function createRunConsumer(
  deps: Deps,
  { maxRuns, maxRunsPerTenant }: RunLimits,
  draining: AbortSignal,
): RunConsumer {
  const { bus } = deps.access;
  const active = new Map<string, Active>();
  const tenants = createTenantShares(maxRunsPerTenant);
  /** The last command that came for a run that is still driven here, by run. */
  const behind = new Map<string, Delivery>();
  let room: (() => void) | undefined;
  let isLeaving = false;
  draining.addEventListener('abort', () => room?.(), { once: true });
  const controls = listen(bus, bus.subjects.controls, controlSchema, (control, subject) => {
    const { tenant, run } = tenantAndRun(bus.subjects.prefix, subject);
    const stop = active.get(`${tenant}.${run}`)?.stop;
    if (control.control === 'cancel') stop?.stop('cancelled');
    else stop?.fence(control.epoch);
  });
  const drive = async (delivery: Delivery, stop: RunStop) => {
    try {
      await driveRun(deps, delivery, stop);
    } catch (error) {
      if (error instanceof FencedError) return;
      deps.log.error(loggedError(error), 'a run could not be driven; its command will come again');
      await giveBack(deps, delivery, stop.fenced);
    }
  };
  const begin = (key: string, delivery: Delivery) => {
    const { tenant } = delivery.command.request;
    const stop = createRunStop();
    const acknowledge = async () => {
      await delivery.acknowledge();
      one.acknowledged = true;
    };
    const done = untilLetGo(drive({ ...delivery, acknowledge }, stop), stop.fenced).finally(() => {
      active.delete(key);
      tenants.ended(tenant);
      const next = behind.get(key);
      behind.delete(key);
      if (next && isDue(next, one)) {
        if (!isLeaving) return begin(key, next);
        next.handOver();
      }
      room?.();
    });
    const one: Active = { delivery, stop, done, acknowledged: false };
    active.set(key, one);
    tenants.began(tenant);
  };
  return {
    async take(delivery) {
      const { tenant, runId } = delivery.command.request;
      const key = `${tenant}.${runId}`;
      if (active.has(key)) behind.set(key, delivery);
      else if (tenants.hasRoom(tenant)) begin(key, delivery);
      else return delivery.putOff(tenants.waitMs(tenant));
      if (active.size >= maxRuns && !draining.aborted) await new Promise<void>((resolve) => (room = resolve));
    },
    async drain(graceMs) {
      isLeaving = true;
      const allDone = () => Promise.all([...active.values()].map(({ done }) => done));
      for (const { stop } of active.values()) stop.leave();
      const interruptMs = Math.min(INTERRUPT_MS, graceMs / 2);
      await within(allDone(), graceMs - interruptMs);
      for (const { stop } of active.values()) stop.stop('leaving');
      await within(allDone(), interruptMs);
      const left = [...active.values()];
      for (const { stop } of left) stop.fence();
      await within(allDone(), UNWIND_MS);
      for (const delivery of [...left.map((one) => one.delivery), ...behind.values()]) delivery.handOver();
      controls.stop();
    },
  };
}

/**
 * Whether what came while the run was driven here is to be done now. The same command again is not where it was acknowledged, or where the run
 * has another owner: it comes once more should that one be lost.
 */
function isDue(next: Delivery, { delivery, stop, acknowledged }: Active): boolean {
  return next.sequence !== delivery.sequence || (!acknowledged && !stop.fenced.aborted);
}

/** Resolves when the work is done, or some time after it was fenced: what hangs must not hold its place, or its command, for ever. */
async function untilLetGo(work: Promise<void>, fenced: AbortSignal): Promise<void> {
  const letGo = Promise.withResolvers<void>();
  const onFenced = () => void within(work, UNWIND_MS).then(letGo.resolve);
  fenced.addEventListener('abort', onFenced, { once: true });
  await Promise.race([work, letGo.promise]);
  fenced.removeEventListener('abort', onFenced);
}
