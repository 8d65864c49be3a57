// A client of the stack at an address, with the prefix and the credentials of the caller's environment.
import { connect, type Client } from '@millrace/client';
import { readPrefix } from '@millrace/contracts';
import { locateSeedFile } from '@millrace/identity';
import type { StackEnvironment } from './backing-servers.ts';

/**
 * `keys`: the folder of the stack's keys. A server that is not ours takes TLS from the environment, and without `keys`
 * the credentials too.
 */
export type NatsAddress = { url: string; keys?: string | undefined; isOurs: boolean };

/** @throws MillraceError bus-unreachable */
export function openClient({ url, keys, isOurs }: NatsAddress, env: StackEnvironment): Promise<Client> {
  return connect({
    url,
    ...(!isOurs && { env }),
    ...(keys !== undefined && { nkeyFile: locateSeedFile(keys, 'operator') }),
    prefix: readPrefix(env),
  });
}
