// Formats the output of `npm start`: addresses, usage, and the notice of a running stack. Pure.
import { formatCodedError } from '@millrace/cli';
import { MillraceError, createSubjects, hideAddressParts } from '@millrace/contracts';
import { buildInboxPrefix, locateFirstKeyFile, readUserKey, locateSeedFile } from '@millrace/identity';
import type { BackingServer } from './backing-servers.ts';
import type { StackFile } from './stack-file.ts';
import type { LocalStack } from './local-stack.ts';
import type { StateDir } from './state-dir.ts';

const LABEL_WIDTH = 10;
const formatRow = (label: string, text: string): string => `  ${label.padEnd(LABEL_WIDTH)}${text}`;

export function formatAddresses({ servers, standInUrl, gatewayUrl, services }: LocalStack, state: StateDir): string[] {
  const { nats, redis, qdrant } = servers;
  return [
    formatRow(
      'console',
      `${gatewayUrl}/console/${nats.keys === undefined ? '' : `, sign in with the key in ${locateFirstKeyFile(nats.keys)}`}`,
    ),
    formatRow('gateway', `${gatewayUrl}/v1, for OpenAI clients, browsers and curl`),
    formatRow(
      'NATS',
      `${hideAddressParts(nats.url)} (${nats.about})${nats.monitorUrl === undefined ? '' : `, monitoring ${nats.monitorUrl}`}`,
    ),
    ...(nats.webSocketUrl === undefined
      ? []
      : [formatRow('WebSocket', `${nats.webSocketUrl} to NATS, for pages with an API key: millrace api-keys create`)]),
    formatRow('Redis', formatAddress(redis, 'messages and working memory are kept in the embedded SQLite store')),
    formatRow('Qdrant', formatAddress(qdrant, 'vectors are kept in the embedded SQLite index')),
    formatRow(
      'model',
      standInUrl === undefined
        ? 'the provider that OPENAI_API_KEY and OPENAI_BASE_URL name'
        : `${standInUrl}/v1, the development stand-in: set OPENAI_API_KEY for a real one`,
    ),
    formatRow('services', services.map(({ name }) => name).join(', ')),
    formatRow('logs', state.log('*')),
  ];
}

const formatAddress = ({ url, about }: BackingServer, instead: string): string =>
  url === undefined ? `none: ${instead}. ${about}` : `${hideAddressParts(url)} (${about})`;

/**
 * `hasCredentials`: the address of NATS holds some, which are not written down, so that the other terminal must have
 * them too. `keys`: the folder of the stack's keys.
 */
type ShownUsage = {
  url: string;
  gatewayUrl?: string | undefined;
  keys?: string | undefined;
  hasCredentials?: boolean;
};

export function formatUsage(agent: string, { url, gatewayUrl, keys, hasCredentials = false }: ShownUsage): string[] {
  return [
    `Talk to it, in another terminal${hasCredentials ? ' that has the same NATS_URL' : ''}:`,
    `  npm run -s millrace -- run ${agent} "What is 17 * 23?" --thread t1`,
    `  npm run -s millrace -- processors list`,
    `  npm run -s millrace -- agents plan ${agent}`,
    `  npm run -s millrace -- --help`,
    ...(keys === undefined ? [] : [formatNatsLine(url, keys)]),
    ...(keys === undefined || gatewayUrl === undefined ? [] : formatCurl(agent, gatewayUrl, keys)),
    `Ctrl-C stops all of it.`,
  ];
}

/** A request to the gateway with the first API key, which the shell reads from its file. */
function formatCurl(agent: string, gatewayUrl: string, keys: string): string[] {
  const body = JSON.stringify({ model: agent, messages: [{ role: 'user', content: 'What is 17 * 23?' }] });
  return [
    `Or over HTTP, as any OpenAI client does (base URL ${gatewayUrl}/v1):`,
    `  curl ${gatewayUrl}/v1/chat/completions -H "Authorization: Bearer $(cat ${locateFirstKeyFile(keys)})" -H 'content-type: application/json' -d '${body}'`,
  ];
}

/** The stock command line of NATS as an operator, with the inboxes that the operator's key allows. */
function formatNatsLine(url: string, keys: string): string {
  const nkeyFile = locateSeedFile(keys, 'operator');
  const inboxes = buildInboxPrefix(readUserKey({ nkeyFile })?.publicKey ?? '');
  return `  nats -s ${url} --nkey ${nkeyFile} --inbox-prefix ${inboxes} sub '${createSubjects().allChunks}'`;
}

export function formatRunningStack(stack: StackFile | undefined, agent: string): string[] {
  if (stack === undefined)
    return ['Another npm start is starting a stack in this checkout. Wait for it, or stop it first.'];
  return [
    `A stack runs in this checkout already: process ${stack.pid}, since ${stack.startedAt}, NATS at ${stack.natsUrl}.`,
    ...formatUsage(agent, { url: stack.natsUrl, gatewayUrl: readGatewayUrl(stack), keys: stack.keys }).slice(0, -1),
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
export function formatError(error: unknown): string {
  if (MillraceError.isInstance(error)) return formatCodedError(error);
  return error instanceof Error ? error.message : String(error);
}
