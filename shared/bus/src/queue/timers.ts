// Schedules the expiry of a suspended run in the server, which persists it across restarts, and consumes due expiries
// in any orchestrator. A run has one: a later one replaces it.
import { expirySchema, type Expiry } from '@millrace/contracts';
import type { JsMsg } from '@nats-io/jetstream';
import { consumeEach } from './consume-each.ts';
import type { JetStreamAccess } from '../streams/jetstream-access.ts';
import { storeError } from '../streams/store-error.ts';
import { decode, encode } from '../core/wire.ts';

const WRITE_TIMEOUT_MS = 2_000;

/** @param at ms since 1970; a past time is due at once. @throws bus-unreachable, store-unavailable */
export async function setTimer({ bus, js }: JetStreamAccess, expiry: Expiry, at: number): Promise<void> {
  const { subjects } = bus;
  const subject = subjects.timer(expiry.tenant, expiry.runId);
  const schedule = { specification: new Date(at), target: subjects.expiries };
  try {
    await js.publish(subject, encode(expiry), { schedule, timeout: WRITE_TIMEOUT_MS, retries: 0 });
  } catch (error) {
    throw storeError(error, subject);
  }
}

/** @throws bus-unreachable, store-unavailable */
export async function clearTimer({ bus, jsm }: JetStreamAccess, tenant: string, runId: string): Promise<void> {
  const subject = bus.subjects.timer(tenant, runId);
  try {
    await jsm.streams.purge(bus.names.timers, { filter: subject });
  } catch (error) {
    throw storeError(error, subject);
  }
}

/** Processes one expiry at a time. An error of `handle` is logged, and the expiry is redelivered. */
export async function consumeExpiries(
  access: JetStreamAccess,
  handle: (expiry: Expiry) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { timers: stream, expirer: durable } = access.bus.names;
  const onMessage = async (message: JsMsg) => {
    const expiry = decode(message.data, expirySchema, message.subject);
    if ('error' in expiry) return message.term(expiry.error.message);
    await handle(expiry.ok);
    await message.ackAck();
  };
  await consumeEach(access, { stream, durable, trouble: 'expiry handler failed' }, onMessage, signal);
}
