// Chooses the port of the gateway before it starts, so that its address is the same over restarts of the service, and
// over starts of the stack if nothing else has taken it.
import { isPortFree, pickFreePort } from '@millrace/servers';
import type { StackEnvironment } from './backing-servers.ts';

const PREFERRED_PORT = 8080;

/** A port of the environment is used as it is, and the gateway reports that it is taken; 0 is any free port. */
export async function chooseGatewayPort({ GATEWAY_PORT: given }: StackEnvironment): Promise<number> {
  if (given) return Number(given) === 0 ? pickFreePort() : Number(given);
  return (await isPortFree(PREFERRED_PORT)) ? PREFERRED_PORT : pickFreePort();
}
