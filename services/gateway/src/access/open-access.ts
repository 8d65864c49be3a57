// Opens the access of a request: verifies its credential, counts it, then applies the headers of its caller.
import type { Scope } from '@millrace/contracts';
import type { z } from 'zod';
import type { GatewayContext } from '../gateway-context.ts';
import { readJsonBody } from '../http/read-body.ts';
import { createAccess, type Access } from './access.ts';
import { readSubject } from './caller-headers.ts';
import { readCredential } from './credentials.ts';

/** `access`: on behalf of the subject that the request names; `headers`: the state of the limits, for the response. */
export type OpenedAccess = { access: Access; headers: Record<string, string> };

/** @throws credentials-refused, scope-missing, limit-exceeded, message-invalid */
export async function openAccess(
  { headers }: Pick<Request, 'headers'>,
  scope: Scope,
  context: GatewayContext,
): Promise<OpenedAccess> {
  return countAccess(await verifyAccess(headers, context), headers, scope, context);
}

const verifyAccess = async (headers: Headers, { bus, verify }: GatewayContext): Promise<Access> =>
  createAccess(bus, await verify(readCredential(headers)));

async function countAccess(
  access: Access,
  headers: Headers,
  scope: Scope,
  { limits }: GatewayContext,
): Promise<OpenedAccess> {
  const counted = await limits.countRequest(access);
  access.require(scope);
  return { access: access.actAs(readSubject(headers)), headers: counted };
}

/**
 * Opens the access and reads the body. `headers`: those with the credential. A body may arrive slowly, so the credential is verified again after it.
 * @throws credentials-refused, scope-missing, limit-exceeded, message-too-large, message-invalid
 */
export async function openBody<S extends z.ZodType>(
  request: Request,
  { scope, schema, headers = request.headers }: { scope: Scope; schema: S; headers?: Headers },
  context: GatewayContext,
): Promise<OpenedAccess & { body: z.output<S> }> {
  const access = await verifyAccess(headers, context);
  const { MAX_BODY_BYTES } = context.settings;
  // A body without a length may have any, up to the limit. A larger one is refused before it is read.
  const declared = Number(request.headers.get('content-length') ?? MAX_BODY_BYTES);
  const free = context.limits.reserveBody(access, Math.min(declared, MAX_BODY_BYTES));
  // Concurrent: the count takes a round trip to Redis.
  const reading = readJsonBody(request, schema, MAX_BODY_BYTES).finally(free);
  // An exceeded limit takes precedence over a bad body.
  reading.catch(() => undefined);
  const opened = await countAccess(access, headers, scope, context);
  const body = await reading;
  await context.verify(readCredential(headers));
  return { ...opened, body };
}
