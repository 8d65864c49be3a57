// Requeues the command of a run that was released during an outage of the bus, after the reconnect. Otherwise the ack
// wait would have to expire first, and a stopped server restarts that wait with the last message that it finds in its
// socket.
import { toLoggedError } from '@millrace/contracts';
import type { Bus, Delivery } from '@millrace/bus';
import type { Deps } from '../state/run-context.ts';
import { isAtRest, readHead } from '../head/run-head.ts';
import { retryThroughOutages } from '../streams/retry-outages.ts';
import { raceAbort } from '../streams/unless-stopped.ts';

/**
 * Does nothing if the connection was up while the run was driven: a failure of a stream or its disk affects the next owner too, and its
 * attempts are counted.
 * @param connections of the bus when the run began here
 * @param stopped the run has another owner, or this orchestrator has no more time
 */
export async function requeueCommand(
  { access, log }: Deps,
  delivery: Delivery,
  stopped: AbortSignal,
  connections: number,
): Promise<void> {
  const { bus } = access;
  if (!bus.hasConnection()) await awaitReconnection(bus, stopped);
  else if (bus.countConnections() === connections) return;
  if (stopped.aborted) return;
  const { tenant, runId } = delivery.command.request;
  try {
    const head = await retryThroughOutages(`the state of ${tenant}.${runId}`, () => readHead(access, tenant, runId));
    if (stopped.aborted) return;
    const isOthers = head && !isAtRest(head.value) && head.value.status !== 'queued' && head.value.owner !== bus.id;
    // The server applies a NAK of an earlier delivery to the latest one: it would cost the new owner its run.
    if (!isOthers) delivery.handOver();
  } catch (error) {
    log.warn({ runId, ...toLoggedError(error) }, 'command not requeued: redelivered after the ack wait');
  }
}

async function awaitReconnection(bus: Bus, stopped: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const forget = bus.onReconnect(resolve);
  await raceAbort(promise, stopped);
  forget();
}
