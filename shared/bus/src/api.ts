// The public verbs over the bus, at both ends: `askApi` for clients, `serveApi` for the service that owns the data.
import {
  API,
  MillraceError,
  apiReplySchema,
  fromWireError,
  toWireError,
  tenantAndRun,
  type ApiAnswer,
  type ApiRequest,
  type ApiRequestInput,
  type ApiVerb,
} from '@millrace/contracts';
import type { z } from 'zod';
import type { Bus } from './bus.ts';
import { request } from './request.ts';
import { serve, type Serving } from './serve.ts';
import { decode, encode } from './wire.ts';

export type ApiAddress = { tenant: string; run?: string };
const API_TIMEOUT_MS = 10_000;

/** @throws the coded error that was answered, or nobody-there, timeout, message-invalid, message-too-large */
export async function askApi<V extends ApiVerb>(
  bus: Bus,
  verb: V,
  address: ApiAddress,
  ask: ApiRequestInput<V>,
  options: { timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<ApiAnswer<V>> {
  const subject = bus.subjects.api(verb, address.tenant, address.run);
  const { timeoutMs = API_TIMEOUT_MS, signal } = options;
  const reply = await request(bus, { subject, payload: ask, reply: apiReplySchema, timeoutMs, signal });
  if ('error' in reply) throw reply.error;
  if ('error' in reply.ok) throw fromWireError(reply.ok.error);
  const answerSchema: z.ZodType = API[verb].answer;
  const answer = decode(encode(reply.ok.ok), answerSchema, `the answer of ${subject}`);
  if ('error' in answer) throw answer.error;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked a line above by the verb's own schema
  return answer.ok as ApiAnswer<V>;
}

export type ApiCall = { tenant: string; run: string | undefined };
export type ApiHandler<V extends ApiVerb> = (request: ApiRequest<V>, call: ApiCall) => Promise<ApiAnswer<V>>;

/** Replicas share a verb by queue group. A coded error that the handler throws is the answer. */
export function serveApi<V extends ApiVerb>(bus: Bus, verb: V, handle: ApiHandler<V>): Serving {
  const contract: { request: z.ZodType; run: boolean } = API[verb];
  return serve(bus, {
    subject: bus.subjects.apiOfAll(verb, contract.run),
    queue: `api-${verb}`,
    request: contract.request,
    handle: async (ask, { subject }) => {
      const { tenant, run } = tenantAndRun(bus.subjects.prefix, subject);
      if (tenant === undefined) throw new MillraceError('token-invalid', `${subject} names no tenant.`);
      try {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by the verb's own schema
        return { ok: await handle(ask as ApiRequest<V>, { tenant, run }) };
      } catch (error) {
        if (!MillraceError.isInstance(error)) bus.log.error({ verb, error: String(error) }, 'an api verb broke');
        return { error: toWireError(error) };
      }
    },
  });
}
