// Opens the access of a request: verifies its credential, then counts it.
import type { Scope } from '@millrace/contracts';
import type { z } from 'zod';
import type { GatewayContext } from '../gateway-context.ts';
import { readJsonBody } from '../http/read-body.ts';
import { createAccess, type Access } from './access.ts';
import { readCredential } from './credentials.ts';

/** `headers`: the state of the limits, for the response. */
export type OpenedAccess = { access: Access; headers: Record<string, string> };

/** @throws credentials-refused, scope-missing, limit-exceeded */
export async function openAccess(
  { headers }: Pick<Request, 'headers'>,
  scope: Scope,
  context: GatewayContext,
): Promise<OpenedAccess> {
  return countAccess(await verifyAccess(headers, context), scope, context);
}

const verifyAccess = async (headers: Headers, { bus, verify }: GatewayContext): Promise<Access> =>
  createAccess(bus, await verify(readCredential(headers)));

async function countAccess(access: Access, scope: Scope, { limits }: GatewayContext): Promise<OpenedAccess> {
  const counted = await limits.countRequest(access);
  access.require(scope);
  return { access, headers: counted };
}

/** `admitted` resolves with the headers of the limits. Nothing of the request has an effect before it. */
export type EarlyAccess<T> = { access: Access; body: T; admitted: Promise<Record<string, string>> };

/** Opens the access as openEarly does, and waits for its admission. */
export async function openBody<S extends z.ZodType>(
  request: Request,
  parts: BodyParts<S>,
  context: GatewayContext,
): Promise<OpenedAccess & { body: z.output<S> }> {
  const { access, body, admitted } = await openEarly(request, parts, context);
  return { access, body, headers: await admitted };
}

type BodyParts<S> = { scope: Scope; schema: S; headers?: Headers };

/**
 * Opens the access and reads the body, while the request is counted: the count takes a round trip to Redis. `headers`: those with the credential. A body may arrive slowly, so the credential is verified again after it.
 * @throws credentials-refused, scope-missing, limit-exceeded, message-too-large, message-invalid
 */
export async function openEarly<S extends z.ZodType>(
  request: Request,
  { scope, schema, headers = request.headers }: BodyParts<S>,
  context: GatewayContext,
): Promise<EarlyAccess<z.output<S>>> {
  const access = await verifyAccess(headers, context);
  const admitted = countAccess(access, scope, context).then((opened) => opened.headers);
  return preferRefusal(admitted, async () => {
    const reading = readJsonBody(request, schema, context.settings.MAX_BODY_BYTES);
    reading.catch(() => undefined);
    // A refused request does not wait for its body.
    const body = await Promise.race([reading, admitted.then(() => reading)]);
    await context.verify(readCredential(headers));
    return { access, body, admitted };
  });
}

/** An exceeded limit takes precedence over an error of `work`. */
export async function preferRefusal<T>(admitted: Promise<unknown>, work: () => Promise<T>): Promise<T> {
  admitted.catch(() => undefined);
  try {
    return await work();
  } catch (error) {
    await admitted;
    throw error;
  }
}
