// Heeds `control` messages for the runs that are driven here. A message only makes the orchestrator read the stored state: any client of the bus
// can publish one, and late ones of an earlier run arrive too. A run is cancelled if its cancel key is there, and fenced if its head has a
// later epoch than its owner.
import { controlSchema, toLoggedError, readControlAddress, type Control } from '@millrace/contracts';
import { listen, type Listening } from '@millrace/bus';
import type { Deps } from '../state/run-context.ts';
import { readHead } from '../head/run-head.ts';
import { isCancelAsked } from '../state/run-store.ts';
import type { RunStop } from '../state/run-stop.ts';
import { retryThroughOutages } from '../streams/retry-outages.ts';

/** Claimed by the messages since the last read: a cancellation, and the highest epoch. */
type EpochClaim = { isCancelled: boolean; epoch: number };

/** @param findStop of a run that is driven here, by `tenant.run`. One read at a time is under way for each run, however many messages arrive. */
export function handleControls(deps: Deps, findStop: (key: string) => RunStop | undefined): Listening {
  const { bus } = deps.access;
  const claims = new Map<string, EpochClaim>();
  const checking = new Set<string>();

  const check = async (key: string, tenant: string, run: string) => {
    checking.add(key);
    for (let claim = claims.get(key); claim; claim = claims.get(key)) {
      claims.delete(key);
      const stop = findStop(key);
      if (stop) await checkClaim(deps, { tenant, run }, claim, stop);
    }
    checking.delete(key);
  };
  return listen(bus, bus.subjects.controls, controlSchema, (control, subject) => {
    const { tenant, run } = readControlAddress(bus.subjects.prefix, subject);
    if (tenant === undefined || run === undefined) return;
    const key = `${tenant}.${run}`;
    if (!findStop(key)) return;
    claims.set(key, withControl(claims.get(key), control));
    if (!checking.has(key)) void check(key, tenant, run);
  });
}

function withControl(
  { isCancelled, epoch }: EpochClaim = { isCancelled: false, epoch: 0 },
  control: Control,
): EpochClaim {
  if (control.control === 'cancel') return { isCancelled: true, epoch };
  return { isCancelled, epoch: Math.max(epoch, control.epoch) };
}

async function checkClaim(
  { access, log }: Deps,
  { tenant, run }: { tenant: string; run: string },
  { isCancelled, epoch }: EpochClaim,
  stop: RunStop,
): Promise<void> {
  try {
    if (isCancelled && (await isCancelAsked(access, tenant, run))) stop.stop('cancelled');
    if (!stop.isBefore(epoch)) return;
    const head = await retryThroughOutages(`the state of ${tenant}.${run}`, () => readHead(access, tenant, run));
    if (head) stop.fence(head.value.epoch);
  } catch (error) {
    log.warn(
      { tenant, run, ...toLoggedError(error) },
      'a control message could not be checked; the next checkpoint does',
    );
  }
}
