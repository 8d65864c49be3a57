// The request `forget.<service>` at both ends: a service deletes its data of a thread or of messages.
import {
  MillraceError,
  forgetReplySchema,
  forgetRequestSchema,
  fromWireError,
  loggedError,
  toWireError,
  type ForgetRequest,
} from '@millrace/contracts';
import type { Bus } from './bus.ts';
import { request } from './request.ts';
import { serve, type Serving } from './serve.ts';

const FORGET_TIMEOUT_MS = 8_000;
/** A stopped replica keeps its share of the requests without answering; a deletion can be repeated. */
const REPEAT_EVERY_MS = 2_000;

/** Returns the number of deleted entries; a repeated request deletes none. */
export type ForgetHandler = (request: ForgetRequest) => Promise<number>;

/** @throws the coded error of the service, or nobody-there, timeout, bus-unreachable */
export async function askForget(bus: Bus, service: string, payload: ForgetRequest): Promise<number> {
  const ask = { subject: bus.subjects.forget(service), payload, reply: forgetReplySchema };
  const reply = await request(bus, { ...ask, timeoutMs: FORGET_TIMEOUT_MS, repeatEveryMs: REPEAT_EVERY_MS });
  if ('error' in reply) throw explainUnanswered(service, reply.error);
  if ('error' in reply.ok) throw fromWireError(reply.ok.error);
  return reply.ok.ok.deleted;
}

/** Serves the requests to the service of this connection; its replicas share them. */
export function serveForget(bus: Bus, handle: ForgetHandler): Serving {
  return serve(bus, {
    subject: bus.subjects.forget(bus.name),
    queue: 'forget',
    request: forgetRequestSchema,
    handle: async (ask) => {
      try {
        return { ok: { deleted: await handle(ask) } };
      } catch (error) {
        if (!MillraceError.isInstance(error)) bus.log.error(loggedError(error), 'deletion failed');
        return { error: toWireError(error) };
      }
    },
  });
}

function explainUnanswered(service: string, error: MillraceError): MillraceError {
  if (error.code !== 'nobody-there') return error;
  return new MillraceError('nobody-there', `The service ${service} is not running, and nothing was deleted there.`, {
    cause: error,
    remedy: `Start ${service} and repeat the request, or leave it out of FORGET_SERVICES if it stores nothing.`,
  });
}
