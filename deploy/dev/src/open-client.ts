// A client of the stack at an address, with the prefix and the credentials of the caller's environment.
import { connect, type Client } from '@millrace/client';
import type { Environment } from './backing-servers.ts';

/** @throws MillraceError bus-unreachable */
export function openClient(url: string, env: Environment): Promise<Client> {
  const { MILLRACE_PREFIX: prefix } = env;
  return connect({ url, env, ...(prefix && { prefix }) });
}
