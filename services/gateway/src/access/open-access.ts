// Opens the access of a request: verifies its credential, then counts it.
import type { GatewayContext } from '../gateway-context.ts';
import { createAccess, type Access } from './access.ts';
import { readCredential } from './credentials.ts';

/** `headers`: the state of the limits, for the response. @throws credentials-refused, limit-exceeded */
export async function openAccess(
  { headers }: Request,
  { bus, verify, limits }: GatewayContext,
): Promise<{ access: Access; headers: Record<string, string> }> {
  const access = createAccess(bus, await verify(readCredential(headers)));
  return { access, headers: await limits.countRequest(access) };
}
