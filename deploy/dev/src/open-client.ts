// A client of the stack at an address, with the prefix and the credentials of the caller's environment.
import { connect, type Client } from '@millrace/client';
import { seedFile } from '@millrace/identity';
import type { Environment } from './backing-servers.ts';

/** `keys`: the folder of the stack's keys; a server that is not ours takes the credentials of the environment. */
export type NatsAddress = { url: string; keys?: string | undefined };

/** @throws MillraceError bus-unreachable */
export function openClient({ url, keys }: NatsAddress, env: Environment): Promise<Client> {
  const { MILLRACE_PREFIX: prefix } = env;
  return connect({
    url,
    ...(keys === undefined ? { env } : { nkeyFile: seedFile(keys, 'operator') }),
    ...(prefix && { prefix }),
  });
}
