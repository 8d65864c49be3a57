// The gateways of a stack, as processes of their own.
import type { TestStack } from '@millrace/testkit';

/** Returns the addresses in the order of the starts. */
export async function listGatewayUrls(stack: TestStack): Promise<string[]> {
  const log = await stack.log('gateway');
  return [...log.matchAll(/"url":"(http[^"]+)"/g)].flatMap(([, url]) => url ?? []);
}

/** The gateway that was started last, and one that stays. */
export async function listTwoGateways(stack: TestStack): Promise<{ first: string; second: string }> {
  const urls = await listGatewayUrls(stack);
  return { first: urls.at(-1) ?? '', second: urls[0] ?? '' };
}

/** Sends a signal to the gateway that was started first or last. */
export function signalGateway(stack: TestStack, which: 'first' | 'last', signal: NodeJS.Signals = 'SIGKILL'): void {
  const gateways = stack.pids().filter(({ service }) => service === 'gateway');
  const gateway = gateways.at(which === 'first' ? 0 : -1);
  if (!gateway) throw new Error('no gateway runs');
  process.kill(gateway.pid, signal);
}

export const createUserKey = (stack: TestStack, subject: string) =>
  stack.client.keys.create({ subject, scopes: ['run', 'read', 'answer'] });
