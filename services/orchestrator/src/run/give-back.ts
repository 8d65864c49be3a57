// A run that is let go because the bus is away: its command is given back when the connection is there again. Without that nobody would be
// given it before the ack wait is over, which a server that was stopped counts anew from the last word that it finds in its socket.
import { loggedError } from '@millrace/contracts';
import type { Bus, Delivery } from '@millrace/bus';
import type { Deps } from '../state/run-context.ts';
import { isAtRest, readHead } from '../state/run-head.ts';
import { throughOutages } from '../state/through-outages.ts';
import { unlessStopped } from '../state/unless-stopped.ts';

/**
 * Nothing where there is a connection: what is away then (a stream, its disk) is away for the next owner too, and its tries are counted.
 * @param stopped the run has another owner, or this orchestrator has no more time
 */
export async function giveBack({ access, log }: Deps, delivery: Delivery, stopped: AbortSignal): Promise<void> {
  const { bus } = access;
  if (bus.connected()) return;
  await reconnection(bus, stopped);
  if (stopped.aborted) return;
  const { tenant, runId } = delivery.command.request;
  try {
    const head = await throughOutages(`the state of ${tenant}.${runId}`, () => readHead(access, tenant, runId));
    if (stopped.aborted) return;
    const isOthers = head && !isAtRest(head.value) && head.value.status !== 'queued' && head.value.owner !== bus.id;
    // The server takes the word of a delivery that came before for one of the latest: it would cost the new owner its run.
    if (!isOthers) delivery.handOver();
  } catch (error) {
    log.warn({ runId, ...loggedError(error) }, 'a command is not given back: it comes again by itself');
  }
}

async function reconnection(bus: Bus, stopped: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const forget = bus.onReconnect(resolve);
  await unlessStopped(promise, stopped);
  forget();
}
