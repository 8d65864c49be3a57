// The request `forget.<service>` at both ends: a service deletes its data of a thread, of messages or of a resource.
import {
  MillraceError,
  forgetReplySchema,
  forgetRequestSchema,
  fromWireError,
  toLoggedError,
  toWireError,
  type ForgetRequest,
} from '@millrace/contracts';
import type { Bus } from '../core/bus.ts';
import { request } from '../core/request.ts';
import { serve, type Serving } from '../core/serve.ts';

const FORGET_TIMEOUT_MS = 8_000;
/** A stopped replica keeps its share of the requests without answering; a deletion can be repeated. */
const REPEAT_EVERY_MS = 2_000;

/** Number of deleted entries; a repeated request deletes none. `left`: found by a read after the deletion of a resource. */
export type ForgottenSaves = { deleted: number; left?: number | undefined };
export type ForgetHandler = (request: ForgetRequest) => Promise<ForgottenSaves>;

/** @throws the coded error of the service, or nobody-there, timeout, bus-unreachable */
export async function askForget(bus: Bus, service: string, payload: ForgetRequest): Promise<ForgottenSaves> {
  const ask = { subject: bus.subjects.forget(service), payload, reply: forgetReplySchema };
  // An erasure repeats a request by itself; one of a large resource takes longer than the others.
  const repeatEveryMs = payload.what === 'resource' ? undefined : REPEAT_EVERY_MS;
  const reply = await request(bus, { ...ask, timeoutMs: FORGET_TIMEOUT_MS, repeatEveryMs });
  if ('error' in reply) throw explainUnanswered(service, reply.error);
  if ('error' in reply.ok) throw fromWireError(reply.ok.error);
  return reply.ok.ok;
}

/** Serves the requests to the service of this connection; its replicas share them. */
export function serveForget(bus: Bus, handle: ForgetHandler): Serving {
  return serve(bus, {
    subject: bus.subjects.forget(bus.name),
    queue: 'forget',
    request: forgetRequestSchema,
    handle: async (ask) => {
      try {
        return { ok: await handle(ask) };
      } catch (error) {
        if (!MillraceError.isInstance(error)) bus.log.error(toLoggedError(error), 'deletion failed');
        return { error: toWireError(error) };
      }
    },
  });
}

function explainUnanswered(service: string, error: MillraceError): MillraceError {
  if (error.code !== 'nobody-there') return error;
  return new MillraceError('nobody-there', `The service ${service} is not running, and nothing was deleted there.`, {
    cause: error,
    remedy: `Start ${service} and repeat the request, or leave it out of FORGET_SERVICES and ERASE_SERVICES if it stores nothing.`,
  });
}
