// Chooses the port of the gateway before it starts, so that its address is the same over restarts of the service, and
// over starts of the stack if no other process has taken it.
import { MillraceError } from '@millrace/contracts';
import { isPortFree, pickFreePort } from '@millrace/servers';
import type { StackEnvironment } from './backing-servers.ts';
import { readKeptPorts } from './kept-ports.ts';

const PREFERRED_PORT = 8080;

/**
 * A port of the environment is used as it is, and the gateway reports that it is taken; 0 is any free port.
 * @param keptFile file with the port of the last start, which is used again if it is free
 */
export async function chooseGatewayPort({ GATEWAY_PORT: given }: StackEnvironment, keptFile: string): Promise<number> {
  if (given) return Number(given) === 0 ? pickFreePort() : Number(given);
  const { port: kept } = await readKeptPorts(keptFile);
  return kept ?? ((await isPortFree(PREFERRED_PORT)) ? PREFERRED_PORT : pickFreePort());
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', '0.0.0.0']);

/**
 * Rejects the gateway of the stack as its model provider: a terminal in which OpenAI clients use the gateway has the same variables. Reserves
 * no port: the gateway chooses its own after the servers have started, which may take a minute.
 * @throws config-invalid
 */
export async function rejectOwnGateway(env: StackEnvironment, keptFile: string): Promise<void> {
  const { OPENAI_BASE_URL: baseUrl = '' } = env;
  if (!URL.canParse(baseUrl)) return;
  const { hostname, port } = new URL(baseUrl);
  if (!LOOPBACK.has(hostname) || port !== String(await chooseGatewayPort(env, keptFile))) return;
  throw new MillraceError(
    'config-invalid',
    'OPENAI_BASE_URL is the address of the gateway of this stack: the stack would call itself for its models.',
    { remedy: 'Unset OPENAI_BASE_URL and OPENAI_API_KEY here, or set another GATEWAY_PORT.' },
  );
}
