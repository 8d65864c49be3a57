// Finds the gateway of the terminal: the one that an option or the local stack names, with the key to use there.
import { readFile } from 'node:fs/promises';
import { resolveAddress, type BusAddress } from '@millrace/bus';
import { locateFirstKeyFile } from '@millrace/identity';
import type { CliIo } from './cli-io.ts';

export type GatewayTarget = {
  url: string;
  /** Source of the address. */
  source: string;
  /** True if a setting names the address: a gateway must run there. If false, the gateway may belong to another installation. */
  isExpected: boolean;
  key?: { text: string; source: string } | undefined;
};

type GatewayAddresses = { gateway?: string | undefined; url?: string | undefined };

const DEFAULT_GATEWAY = 'http://127.0.0.1:8080';
const DEFAULT_SOURCE = 'the default, because neither --gateway nor the stack.json of this NATS names one';

/**
 * Chooses the address and the key. The first key of a stack is sent to the gateway of this stack alone; MILLRACE_API_KEY
 * to the address that the terminal or the stack names. The default address receives no key.
 */
export async function findGateway({ env, cwd }: CliIo, { gateway, url }: GatewayAddresses): Promise<GatewayTarget> {
  const text = env['MILLRACE_API_KEY'];
  const own = text ? { text, source: 'MILLRACE_API_KEY' } : undefined;
  if (gateway !== undefined) return { url: gateway, source: '--gateway', isExpected: true, key: own };
  const bus = await resolveAddress({ ...env, ...(url !== undefined && { NATS_URL: url }) }, cwd);
  const stack = await findStackGateway(bus);
  if (!stack) return { url: DEFAULT_GATEWAY, source: DEFAULT_SOURCE, isExpected: false, key: own };
  return { ...stack, key: own ?? stack.key };
}

/** Returns the gateway of the stack at the address, with the first key of the stack. */
export async function findStackGateway({ keys, gatewayPort }: BusAddress): Promise<GatewayTarget | undefined> {
  if (gatewayPort === undefined) return undefined;
  const file = keys === undefined ? undefined : locateFirstKeyFile(keys);
  const first = file === undefined ? undefined : await readFile(file, 'utf8').catch(() => undefined);
  const key = file !== undefined && first ? { text: first.trim(), source: file } : undefined;
  return { url: `http://127.0.0.1:${gatewayPort}`, source: 'stack.json', isExpected: true, key };
}
