// Formats the output of `npm start`: addresses, usage, and the notice of a running stack. Pure.
import { codedText } from '@millrace/cli';
import { MillraceError, createSubjects, shownAddress } from '@millrace/contracts';
import { buildInboxPrefix, firstKeyFile, readUserKey, seedFile } from '@millrace/identity';
import type { BackingServer } from './backing-servers.ts';
import type { StackFile } from './stack-file.ts';
import type { LocalStack } from './local-stack.ts';
import type { StateDir } from './state-dir.ts';

const LABEL_WIDTH = 10;
const row = (label: string, text: string): string => `  ${label.padEnd(LABEL_WIDTH)}${text}`;

export function addressLines({ servers, standInUrl, gatewayUrl, services }: LocalStack, state: StateDir): string[] {
  const { nats, redis, qdrant } = servers;
  return [
    row(
      'console',
      `${gatewayUrl}/console/${nats.keys === undefined ? '' : `, sign in with the key in ${firstKeyFile(nats.keys)}`}`,
    ),
    row('gateway', `${gatewayUrl}/v1, for OpenAI clients, browsers and curl`),
    row(
      'NATS',
      `${shownAddress(nats.url)} (${nats.about})${nats.monitorUrl === undefined ? '' : `, monitoring ${nats.monitorUrl}`}`,
    ),
    ...(nats.webSocketUrl === undefined
      ? []
      : [row('WebSocket', `${nats.webSocketUrl} to NATS, for pages with an API key: millrace api-keys create`)]),
    row('Redis', addressOr(redis, 'messages and working memory are kept in the embedded SQLite store')),
    row('Qdrant', addressOr(qdrant, 'vectors are kept in the embedded SQLite index')),
    row(
      'model',
      standInUrl === undefined
        ? 'the provider that OPENAI_API_KEY and OPENAI_BASE_URL name'
        : `${standInUrl}/v1, the development stand-in: set OPENAI_API_KEY for a real one`,
    ),
    row('services', services.map(({ name }) => name).join(', ')),
    row('logs', state.log('*')),
  ];
}

const addressOr = ({ url, about }: BackingServer, instead: string): string =>
  url === undefined ? `none: ${instead}. ${about}` : `${shownAddress(url)} (${about})`;

/**
 * `hasCredentials`: the address of NATS holds some, which are not written down, so that the other terminal must have
 * them too. `keys`: the folder of the stack's keys.
 */
type UsageOptions = {
  url: string;
  gatewayUrl?: string | undefined;
  keys?: string | undefined;
  hasCredentials?: boolean;
};

export function usageLines(agent: string, { url, gatewayUrl, keys, hasCredentials = false }: UsageOptions): string[] {
  return [
    `Talk to it, in another terminal${hasCredentials ? ' that has the same NATS_URL' : ''}:`,
    `  npm run -s millrace -- run ${agent} "What is 17 * 23?" --thread t1`,
    `  npm run -s millrace -- processors list`,
    `  npm run -s millrace -- agents plan ${agent}`,
    `  npm run -s millrace -- --help`,
    ...(keys === undefined ? [] : [natsLine(url, keys)]),
    ...(keys === undefined || gatewayUrl === undefined ? [] : curlLines(agent, gatewayUrl, keys)),
    `Ctrl-C stops all of it.`,
  ];
}

/** A request to the gateway with the first API key, which the shell reads from its file. */
function curlLines(agent: string, gatewayUrl: string, keys: string): string[] {
  const body = JSON.stringify({ model: agent, messages: [{ role: 'user', content: 'What is 17 * 23?' }] });
  return [
    `Or over HTTP, as any OpenAI client does (base URL ${gatewayUrl}/v1):`,
    `  curl ${gatewayUrl}/v1/chat/completions -H "Authorization: Bearer $(cat ${firstKeyFile(keys)})" -H 'content-type: application/json' -d '${body}'`,
  ];
}

/** The stock command line of NATS as an operator, with the inboxes that the operator's key allows. */
function natsLine(url: string, keys: string): string {
  const nkeyFile = seedFile(keys, 'operator');
  const inboxes = buildInboxPrefix(readUserKey({ nkeyFile })?.publicKey ?? '');
  return `  nats -s ${url} --nkey ${nkeyFile} --inbox-prefix ${inboxes} sub '${createSubjects().allChunks}'`;
}

export function runsAlreadyLines(stack: StackFile | undefined, agent: string): string[] {
  if (stack === undefined)
    return ['Another npm start is starting a stack in this checkout. Wait for it, or stop it first.'];
  return [
    `A stack runs in this checkout already: process ${stack.pid}, since ${stack.startedAt}, NATS at ${stack.natsUrl}.`,
    ...usageLines(agent, { url: stack.natsUrl, gatewayUrl: readGatewayUrl(stack), keys: stack.keys }).slice(0, -1),
    `To stop it: Ctrl-C in its terminal, or kill ${stack.pid}.`,
  ];
}

const readGatewayUrl = ({ ports: { gateway } }: StackFile): string | undefined =>
  gateway === undefined ? undefined : `http://127.0.0.1:${gateway}`;

/** Returns the ports of processes that were started here, by name, for stack.json. */
export function listPorts({ servers, standInUrl, gatewayUrl }: LocalStack): Record<string, number> {
  const urls: Record<string, string | undefined> = {
    nats: servers.nats.isOurs ? servers.nats.url : undefined,
    'nats-monitor': servers.nats.monitorUrl,
    'nats-websocket': servers.nats.webSocketUrl,
    redis: servers.redis.isOurs ? servers.redis.url : undefined,
    qdrant: servers.qdrant.isOurs ? servers.qdrant.url : undefined,
    'dev-model': standInUrl,
    gateway: gatewayUrl,
  };
  const ports = Object.entries(urls).flatMap(([name, url]) =>
    url === undefined ? [] : [[name, Number(new URL(url).port)] as const],
  );
  return Object.fromEntries(ports);
}

/** Prints no stack trace: errors of a start are expected, and their cause is in a log. */
export function errorText(error: unknown): string {
  if (MillraceError.isInstance(error)) return codedText(error);
  return error instanceof Error ? error.message : String(error);
}
