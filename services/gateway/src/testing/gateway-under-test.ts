// Serves the gateway's application over HTTP for the tests of a file, on the services of the shared stack. The
// identities are those of the test; services/auth verifies real credentials.
import { connectBus, type Bus } from '@millrace/bus';
import { MillraceError, SCOPES, type Identity } from '@millrace/contracts';
import { createLog } from '@millrace/service';
import { useSharedStack, type SharedStack } from '@millrace/testkit';
import type { Hono } from 'hono';
import { afterAll, beforeAll } from 'vitest';
import { createLimits } from '../access/limits.ts';
import { createSessionStore } from '../access/session-store.ts';
import { createSessions } from '../access/sessions.ts';
import { createGatewayApp } from '../gateway-app.ts';
import { listenHttp, type ListeningServer } from '../http/listen.ts';
import { quietListener } from './quiet-listener.ts';
import { createTraitReader } from '../agents/agent-traits.ts';
import { createRecentRequests } from '../recent/recent-requests.ts';
import { settingsSchema, type GatewaySettings } from '../access/settings.ts';

export type GatewayUnderTest = {
  readonly stack: SharedStack;
  /** Without a path. */
  readonly url: string;
  /** Requests a path with the key of a test identity. */
  fetch(path: string, key: string | undefined, init?: RequestInit): Promise<Response>;
  /** Lists the routes of the application, each once. */
  listRoutes(): { method: string; path: string }[];
  /** Begins the drain. */
  drain(): void;
  /** Refuses the key from now on, and announces it. */
  revoke(key: string): void;
};

const ALL = [...SCOPES];
/** By key. */
const IDENTITIES: Readonly<Record<string, Identity>> = {
  ...Object.fromEntries(
    ['own', 'unread', 'chat', 'responses', 'ui', 'mcp'].map((name) => [`key-tokens-${name}`, limitTokens(name)]),
  ),
  ...Object.fromEntries(
    [
      'body',
      'chat',
      'stream',
      'mcp',
      'wait',
      ...['own', 'ui', 'chat', 'keyed', 'responses'].map((name) => `stream-${name}`),
    ].map((name) => [`key-brief-${name}`, createBrief(name)]),
  ),
  ...Object.fromEntries(['2025', '2026', 'batch'].map((name) => [`key-few-${name}`, createFew(name)])),
  'key-single-operator': { tenant: 'default', scopes: ALL, agents: ['only-this'], keyId: 'single-operator' },
  'key-root': { tenant: 'default', scopes: ALL, keyId: 'root' },
  'key-ada': { tenant: 'default', subject: 'ada', scopes: ['run', 'read', 'answer'], keyId: 'ada' },
  'key-bob': { tenant: 'default', subject: 'bob', scopes: ['run', 'read', 'answer'], keyId: 'bob' },
  'key-reader': { tenant: 'default', subject: 'ada', scopes: ['read'], keyId: 'reader' },
  'key-runner': { tenant: 'default', subject: 'ada', scopes: ['run'], keyId: 'runner' },
  'key-site': { tenant: 'default', subject: 'site', scopes: ['run', 'read', 'answer', 'act-as'], keyId: 'site' },
  'key-host': { tenant: 'default', scopes: ['run', 'read', 'answer', 'act-as'], keyId: 'host' },
  'key-single': { tenant: 'default', subject: 'ada', scopes: ['run', 'read'], agents: ['only-this'], keyId: 'single' },
  'key-single-answer': {
    tenant: 'default',
    subject: 'ada',
    scopes: ['run', 'read', 'answer'],
    agents: ['only-this'],
    keyId: 'single-answer',
  },
  'key-thrifty': {
    tenant: 'default',
    subject: 'thrifty',
    scopes: ['run', 'read'],
    limits: { costPerDay: 0.02 },
    keyId: 'thrifty',
  },
  'key-silent': { tenant: 'default', subject: 'ada', scopes: ['run', 'read'], keyId: 'silent' },
  'key-busy': {
    tenant: 'default',
    subject: 'ada',
    scopes: ['run', 'read'],
    limits: { requestsPerMinute: 1 },
    keyId: 'busy',
  },
  'key-slow': {
    tenant: 'default',
    subject: 'slow',
    scopes: ['run', 'read'],
    limits: { requestsPerMinute: 2, streams: 1 },
    keyId: 'slow',
  },
};

function createBrief(name: string): Identity {
  return { tenant: 'default', subject: 'ada', scopes: ['run', 'read'], keyId: `brief-${name}` };
}

function createFew(name: string): Identity {
  return { ...createBrief(name), limits: { requestsPerMinute: 6 }, keyId: `few-${name}` };
}

function limitTokens(name: string): Identity {
  const limits = { tokensPerDay: 1 };
  return { tenant: 'default', subject: 'ada', scopes: ['run', 'read'], limits, keyId: `tokens-${name}` };
}

export function useGateway(settings: Partial<Record<keyof GatewaySettings, string>> = {}): GatewayUnderTest {
  const stack = useSharedStack();
  const refused = new Set<string>();
  const listeners = new Set<(keyId: string) => void>();
  const verify = async (credential: string): Promise<Identity> => {
    const identity = IDENTITIES[credential];
    if (identity && !refused.has(credential)) return identity;
    throw new MillraceError('credentials-refused', 'The credential is refused.');
  };
  let running: { server: ListeningServer; bus: Bus; draining: AbortController; app: Hono } | undefined;
  const getRunning = () => {
    if (!running) throw new Error('useGateway: the gateway is available only while the tests run');
    return running;
  };
  beforeAll(async () => {
    const bus = await connectBus({ servers: stack.url, name: 'gateway' });
    const draining = new AbortController();
    const parsed = settingsSchema.parse({ GATEWAY_PORT: '0', ...settings });
    const log = createLog('gateway', 'test', 'error');
    const app = createGatewayApp({
      bus,
      log,
      settings: parsed,
      limits: createLimits({
        requestsPerMinute: parsed.REQUESTS_PER_MINUTE,
        streamsPerAccount: parsed.MAX_STREAMS_PER_KEY,
        streams: parsed.MAX_STREAMS,
        bodyBytes: parsed.MAX_BODY_BYTES,
        log,
      }),
      verify,
      onRevoked(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      sessions: createSessions(createSessionStore()),
      readTraits: createTraitReader(bus),
      recent: createRecentRequests(),
      findProblem: () => bus.findProblem(),
      draining: draining.signal,
    });
    const server = await listenHttp(app, quietListener);
    running = { server, bus, draining, app };
  });
  afterAll(async () => {
    await running?.server.close(0);
    await running?.bus.close();
  });
  return {
    stack,
    get url() {
      return getRunning().server.url;
    },
    fetch: (path, key, { headers, ...init } = {}) =>
      fetch(`${getRunning().server.url}${path}`, {
        ...init,
        headers: {
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...Object.fromEntries(new Headers(headers)),
        },
      }),
    listRoutes: () => [
      ...new Map(getRunning().app.routes.map(({ method, path }) => [`${method} ${path}`, { method, path }])).values(),
    ],
    drain: () => getRunning().draining.abort(),
    revoke(key) {
      refused.add(key);
      const { keyId } = IDENTITIES[key] ?? {};
      if (keyId !== undefined) for (const listener of listeners) listener(keyId);
    },
  };
}

/** Requests of JSON. */
export const postJson = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

export type ReceivedEvent = { id?: string | undefined; event?: string | undefined; data: string };

/** Reads events until the stream ends, or until `isLast` accepts one. */
export async function readEvents(
  response: Response,
  isLast: (event: ReceivedEvent) => boolean = () => false,
): Promise<ReceivedEvent[]> {
  const events: ReceivedEvent[] = [];
  let rest = '';
  if (!response.body) return events;
  for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
    const texts = (rest + part).split('\n\n');
    rest = texts.pop() ?? '';
    for (const text of texts) {
      const event = parseEvent(text);
      if (event) events.push(event);
      if (event && isLast(event)) return events;
    }
  }
  return events;
}

function parseEvent(text: string): ReceivedEvent | undefined {
  const fields = new Map(
    text.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const data = fields.get('data');
  return data === undefined ? undefined : { id: fields.get('id'), event: fields.get('event'), data };
}
