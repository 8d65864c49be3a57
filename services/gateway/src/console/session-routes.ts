// The routes of a session: sign in with an API key, read the rights of the session, sign out.
import { MillraceError, type Identity } from '@millrace/contracts';
import type { Hono } from 'hono';
import { z } from 'zod';
import { createAccess } from '../access/access.ts';
import { readCredential } from '../access/credentials.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { readJsonBody } from '../http/read-body.ts';
import { addSessionCredential, endRefusedSession } from './session-access.ts';
import { checkSameOrigin, isSecureOrigin, readSessionId, writeSessionCookie } from './session-cookie.ts';

const PATH = '/console/session';
const MAX_KEY_CHARS = 8_192;
const MAX_BODY_BYTES = 16_384;
const bodySchema = z.strictObject({ key: z.string().trim().min(1).max(MAX_KEY_CHARS) });
const UNCACHED = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

export function mountSession(app: Hono, context: GatewayContext): void {
  const { bus, limits, sessions, verify } = context;
  app.post(PATH, async (call) => {
    const request = call.req.raw;
    checkSameOrigin(request);
    const { key } = await readJsonBody(request, bodySchema, { maxBytes: MAX_BODY_BYTES });
    const identity = await verify(key);
    await limits.countRequest(createAccess(bus, identity));
    const previous = readSessionId(request.headers);
    const { id, seconds } = await sessions.open(key, identity);
    if (previous !== undefined) await sessions.close(previous);
    const cookie = writeSessionCookie(id, seconds, isSecureOrigin(request.headers));
    return Response.json({ session: describe(identity) }, { headers: { ...UNCACHED, 'set-cookie': cookie } });
  });
  app.get(PATH, async (call) =>
    Response.json({ session: (await findIdentity(call.req.raw, context)) ?? null }, { headers: UNCACHED }),
  );
  app.delete(PATH, async (call) => {
    const request = call.req.raw;
    checkSameOrigin(request);
    const id = readSessionId(request.headers);
    if (id !== undefined) await sessions.close(id);
    const cookie = writeSessionCookie('', 0, isSecureOrigin(request.headers));
    return new Response(null, { status: 204, headers: { ...UNCACHED, 'set-cookie': cookie } });
  });
}

type ShownIdentity = Omit<Identity, 'limits'>;

/** Returns undefined without a session; a page asks this before it has one. */
async function findIdentity(request: Request, context: GatewayContext): Promise<ShownIdentity | undefined> {
  if (readSessionId(request.headers) === undefined) return undefined;
  try {
    const headers = await addSessionCredential(request, context);
    return describe(await context.verify(readCredential(headers)));
  } catch (error) {
    await endRefusedSession(request, error, context);
    if (MillraceError.isInstance(error) && error.code === 'credentials-refused') return undefined;
    throw error;
  }
}

function describe({ limits: _limits, ...identity }: Identity): ShownIdentity {
  return identity;
}
