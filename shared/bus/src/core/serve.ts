// Serves a subject: each request is validated, handled and answered, in any order. An invalid request is answered with
// a coded error and logged, never dropped. `drain` accepts nothing new and waits for requests in flight: the client's
// own drain does not.
import { MillraceError, createPlaces, toWireError, type JsonBounds } from '@millrace/contracts';
import type { Msg } from 'nats';
import { z } from 'zod';
import type { Bus } from './bus.ts';
import { isInbox } from '../connection/inbox.ts';
import { publishBytes } from './publish.ts';
import { subscribe } from '../connection/subscribe.ts';
import { REJECTED_HEADER, decode, encode, encodeWithin, makeHeaders, readHeader } from './wire.ts';
import { waitAtMost } from './within.ts';

export type ServeContext = {
  subject: string;
  respond(answer: unknown): void;
  /** Returns the value of a header of the request; undefined without one. */
  readHeader(name: string): string | undefined;
};

export type Serving = {
  subject: string;
  stats: { requests: number; errors: number; lastError: string; processingMs: number };
  drain(graceMs: number): Promise<void>;
};

export type ServeOptions<Q> = {
  subject: string;
  queue?: string;
  /** Maximum number of concurrent requests; more are rejected with a code, and a retry may reach another replica. */
  maxInFlight?: number;
  /** Returns the party of a request's subject: one without a request under way has an eighth of the places on top. */
  nameParty?: (subject: string) => string;
  request: z.ZodType<Q>;
  /** Of requests from outside of the system, checked before the request is parsed. */
  bounds?: JsonBounds;
  /** Returns the reply; undefined if `respond` has sent it already. An error becomes a coded reply. */
  handle: (request: Q, context: ServeContext) => Promise<unknown>;
};

/** More than an orchestrator's runs and their sessions request of one replica. */
const MAX_IN_FLIGHT = 2_048;
const SHARE = 1 / 8;

export function serve<Q>(bus: Bus, options: ServeOptions<Q>): Serving {
  const { subject, queue, maxInFlight = MAX_IN_FLIGHT, nameParty } = options;
  const stats = { requests: 0, errors: 0, lastError: '', processingMs: 0 };
  const inFlight = new Set<Promise<void>>();
  const openPlace = createPlaces({ all: maxInFlight, share: nameParty ? SHARE : 0 });
  /** Requests in flight by subject and reply subject. */
  const asked = new Map<string, Msg>();
  const subscription = subscribe(bus, subject, {
    queue,
    take: (message) => {
      const key = `${message.subject} ${message.reply ?? ''}`;
      const known = asked.get(key);
      // The caller repeats a request without an answer: this replica answers its first copy, and a copy takes no place.
      if (known && message.reply && Buffer.compare(known.data, message.data) === 0) return;
      const place = openPlace({ account: nameParty?.(message.subject) ?? '' });
      if (place.grow(1)) return refuseFull(bus, message, maxInFlight);
      const work = answer(bus, options, message, stats).finally(() => {
        inFlight.delete(work);
        place.free();
        if (asked.get(key) === message) asked.delete(key);
      });
      inFlight.add(work);
      asked.set(key, message);
    },
  });
  return {
    subject,
    stats,
    async drain(graceMs) {
      const giveUpAt = performance.now() + graceMs;
      if (!subscription.isClosed()) await waitAtMost(subscription.drain(), graceMs);
      await waitAtMost(Promise.all(inFlight), Math.max(0, giveUpAt - performance.now()));
    },
  };
}

function refuseFull(bus: Bus, { subject, reply }: Msg, limit: number): void {
  const error = {
    code: 'too-many-requests' as const,
    message: `${subject} has ${limit} requests under way.`,
    remedy: 'Ask again later, or start another replica.',
  };
  bus.log.warn({ subject, error }, 'request rejected');
  const headers = makeHeaders({ [REJECTED_HEADER]: 'full' });
  if (reply && isInbox(reply)) publishBytes(bus, reply, encode({ error }), { headers });
}

async function answer<Q>(bus: Bus, options: ServeOptions<Q>, message: Msg, stats: Serving['stats']): Promise<void> {
  const started = performance.now();
  const { reply, subject } = message;
  stats.requests += 1;
  const fail = (error: unknown) => {
    const wire = toWireError(error);
    stats.errors += 1;
    stats.lastError = `${wire.code}: ${wire.message}`;
    bus.log.warn({ subject, ...readRunId(message.data), error: wire }, 'request rejected');
    return { error: wire };
  };
  if (!reply || !isInbox(reply)) return void fail(createReplyError(subject, reply));
  const respond = (value: unknown) => publishBytes(bus, reply, encodeWithin(value, bus.readMaxPayload(), subject));
  const attempt = (publish: () => void) => {
    try {
      return publish();
    } catch (error) {
      return fail(error);
    }
  };
  const respondSafely = (value: unknown) => {
    const failure = attempt(() => respond(value));
    // Without a connection no reply is possible: the caller times out.
    if (failure) attempt(() => respond(failure));
  };
  const request = decode(message.data, options.request, subject, {
    bounds: options.bounds,
    keepsTexts: options.bounds && 'request',
  });
  if ('error' in request) return respondSafely(fail(request.error));
  try {
    const value = await options.handle(request.ok, {
      subject,
      respond,
      readHeader: (name) => readHeader(message, name),
    });
    if (value !== undefined) respondSafely(value);
  } catch (error) {
    respondSafely(fail(error));
  }
  stats.processingMs += performance.now() - started;
}

function createReplyError(subject: string, reply: string | undefined): MillraceError {
  return new MillraceError(
    'reply-subject-refused',
    `A request on ${subject} has the reply subject ${reply || '(none)'}.`,
    {
      remedy: 'Use a reply subject under _INBOX, such as _INBOX.<user>.<random id>.',
    },
  );
}

/** Reads the run id of a request for the log, as far as the message is readable. */
function readRunId(data: Uint8Array): { runId?: unknown } {
  const decoded = decode(data, z.looseObject({ run: z.looseObject({ runId: z.string() }) }), '');
  return 'ok' in decoded ? { runId: decoded.ok.run.runId } : {};
}
