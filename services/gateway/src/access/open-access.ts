// Opens the access of a request: verifies its credential, counts it, then applies the headers of its caller.
import type { Scope } from '@millrace/contracts';
import type { z } from 'zod';
import type { AccessContext } from './access-context.ts';
import { readBodyText, readJsonBody, type BodyReading } from '../http/read-body.ts';
import { createAccess, type Access } from './access.ts';
import { readSubject } from './caller-headers.ts';
import { readCredential } from './credentials.ts';

/** `access`: on behalf of the subject that the request names; `headers`: the state of the limits, for the response. */
export type OpenedAccess = { access: Access; headers: Record<string, string> };

/** @throws credentials-refused, scope-missing, limit-exceeded, message-invalid */
export async function openAccess(
  { headers }: Pick<Request, 'headers'>,
  scope: Scope,
  context: AccessContext,
): Promise<OpenedAccess> {
  return countAccess(await verifyAccess(headers, context), headers, scope, context);
}

const verifyAccess = async (headers: Headers, { bus, verify }: AccessContext): Promise<Access> =>
  createAccess(bus, await verify(readCredential(headers)));

async function countAccess(
  access: Access,
  headers: Headers,
  scope: Scope,
  { limits }: AccessContext,
): Promise<OpenedAccess> {
  const counted = await limits.countRequest(access);
  access.require(scope);
  return { access: access.actAs(readSubject(headers)), headers: counted };
}

type BodyAccess = { scope: Scope; headers?: Headers | undefined };

/**
 * Opens the access and reads the body. `headers`: those with the credential. A body may arrive slowly, so the credential is verified again after it.
 * @throws credentials-refused, scope-missing, limit-exceeded, message-too-large, message-invalid
 */
export const openBody = <S extends z.ZodType>(
  request: Request,
  { schema, ...access }: BodyAccess & { schema: S },
  context: AccessContext,
): Promise<OpenedAccess & { body: z.output<S> }> =>
  openReading(request, access, context, (reading) => readJsonBody(request, schema, reading));

/** Opens the access and reads the body as a text, like `openBody`. */
export const openText = (
  request: Request,
  access: BodyAccess,
  context: AccessContext,
): Promise<OpenedAccess & { body: string }> =>
  openReading(request, access, context, (reading) => readBodyText(request, reading));

async function openReading<T>(
  request: Request,
  { scope, headers = request.headers }: BodyAccess,
  context: AccessContext,
  read: (reading: BodyReading) => Promise<T>,
): Promise<OpenedAccess & { body: T }> {
  const access = await verifyAccess(headers, context);
  const arriving = context.limits.openBody(access);
  try {
    // Concurrent: the count takes a round trip to Redis.
    const reading = read({ maxBytes: context.settings.MAX_BODY_BYTES, onBytes: arriving.grow });
    // An exceeded limit takes precedence over a bad body.
    reading.catch(() => undefined);
    const opened = await countAccess(access, headers, scope, context);
    const body = await reading;
    await context.verify(readCredential(headers));
    return { ...opened, body };
  } finally {
    // A request that is refused leaves its body: the reading may never settle.
    arriving.free();
  }
}
