// Checks the gateway over HTTP: its answer, its version, the build of its console, and an API key.
import { hideAddressParts } from '@millrace/contracts';
import { z } from 'zod';
import type { GatewayTarget } from '../command/find-gateway.ts';
import type { Finding } from './doctor-finding.ts';

const ASK_MS = 5_000;
const name = 'gateway';

export async function checkGateway(target: GatewayTarget): Promise<Finding[]> {
  const health = await checkHealth(target);
  if (health.level !== 'ok') return [health];
  if (target.isExpected) return [health, await checkConsole(target), await checkKey(target)];
  return [
    {
      ...health,
      level: 'warn',
      message: `${health.message}, and may belong to another installation: it receives no API key`,
      remedy: 'Name the gateway of this installation: --gateway URL.',
    },
    await checkConsole(target),
  ];
}

const healthSchema = z.object({ status: z.string(), version: z.string().optional(), problem: z.string().optional() });

async function checkHealth({ url, source, isExpected }: GatewayTarget): Promise<Finding> {
  const where = `${hideAddressParts(url)} (from ${source})`;
  try {
    const response = await ask(url, '/healthz');
    const { status, version = 'unknown', problem } = healthSchema.parse(await response.json());
    const message = `${where} answers, version ${version}`;
    if (status === 'ok') return { level: 'ok', name, message };
    return {
      level: 'warn',
      name,
      message: `${message}, and is ${status}${problem === undefined ? '' : `: ${problem}`}`,
      remedy: 'Wait until it is ready, or see its log.',
    };
  } catch (error) {
    const reason = error instanceof z.ZodError || error instanceof SyntaxError ? 'is no gateway' : 'does not answer';
    const level = isExpected ? 'fail' : 'warn';
    const remedy = 'Start it: npm start, or docker compose up; or name its address: --gateway URL.';
    return { level, name, message: `${where} ${reason}`, remedy };
  }
}

async function checkConsole({ url }: GatewayTarget): Promise<Finding> {
  const { status } = await ask(url, '/console/');
  if (status === 200) return { level: 'ok', name: 'console', message: `is at ${hideAddressParts(url)}/console/` };
  const remedy = 'npm start builds it in the background; by hand: npm run -s console, and CONSOLE_DIR of the gateway.';
  return { level: 'warn', name: 'console', message: `is not built, HTTP ${status}`, remedy };
}

async function checkKey({ url, key }: GatewayTarget): Promise<Finding> {
  const remedy = 'Create one: millrace api-keys create, and set MILLRACE_API_KEY.';
  if (!key) return { level: 'warn', name: 'key', message: 'no API key to check', remedy };
  const response = await ask(url, '/v1/runs?limit=1', { authorization: `Bearer ${key.text}` });
  if (response.ok) return { level: 'ok', name: 'key', message: `that of ${key.source} is valid` };
  // The gateway knows the key, and refuses the route.
  if (response.status === 403)
    return { level: 'ok', name: 'key', message: `that of ${key.source} is valid, without the scope read` };
  const message = `that of ${key.source} is refused, HTTP ${response.status}`;
  return { level: 'fail', name: 'key', message, remedy };
}

/** A redirect could send the key to another host. */
const ask = (url: string, path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(new URL(path, url), { headers, redirect: 'error', signal: AbortSignal.timeout(ASK_MS) });
