// Takes commands while there is room: one per free slot, so that what cannot start here waits where others can take it.
import { controlSchema, tenantAndRun } from '@millrace/contracts';
import { listen, within, type Delivery } from '@millrace/bus';
import { driveRun } from './drive-run.ts';
import type { Deps, StopReason } from '../state/run-context.ts';
import { FencedError } from '../state/fenced-error.ts';

export type RunConsumer = {
  /** Resolves when there is room for another run. */
  take(delivery: Delivery): Promise<void>;
  /** Waits for the runs under way. */
  drain(graceMs: number): Promise<void>;
};

/** What was stopped and not waited for has this long to notice, ms. */
const UNWIND_MS = 1_000;

/** @param draining nothing more is taken: nobody waits for room any longer */
export function createRunConsumer(deps: Deps, maxRuns: number, draining: AbortSignal): RunConsumer {
  const { bus } = deps.access;
  const active = new Map<string, { stop: AbortController; done: Promise<void> }>();
  let room: (() => void) | undefined;
  draining.addEventListener('abort', () => room?.(), { once: true });
  const controls = listen(bus, bus.subjects.controls, controlSchema, (control, subject) => {
    const { tenant, run } = tenantAndRun(bus.subjects.prefix, subject);
    const stop = active.get(`${tenant}.${run}`)?.stop;
    const reason: StopReason = control.control === 'cancel' ? 'cancelled' : 'fenced';
    stop?.abort(reason);
  });
  const start = async (delivery: Delivery, stop: AbortController) => {
    try {
      await driveRun(deps, delivery, stop);
    } catch (error) {
      if (error instanceof FencedError) return;
      deps.log.error(
        { error: String(error), stack: error instanceof Error ? error.stack : undefined },
        'a run could not be driven; its command will come again',
      );
    }
  };
  return {
    async take(delivery) {
      const { tenant, runId } = delivery.command.request;
      const key = `${tenant}.${runId}`;
      // A redelivery to the process that owns the run is its own: it is acknowledged when the run ends.
      if (active.has(key)) return;
      const stop = new AbortController();
      const done = start(delivery, stop).finally(() => {
        active.delete(key);
        room?.();
      });
      active.set(key, { stop, done });
      if (active.size >= maxRuns && !draining.aborted) await new Promise<void>((resolve) => (room = resolve));
    },
    async drain(graceMs) {
      const allDone = () => Promise.all([...active.values()].map(({ done }) => done));
      await within(allDone(), graceMs);
      for (const { stop } of active.values()) stop.abort('fenced' satisfies StopReason);
      await within(allDone(), UNWIND_MS);
      controls.stop();
    },
  };
}
