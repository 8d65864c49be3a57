// Calls the external guards that the service's configuration defines: no redirects, bounded in size and time, only
// checked addresses, and a circuit breaker for each endpoint. Every problem is a coded error, so that the agent's
// policy decides. No error contains a header, a URL or a byte of an answer.
import { containsCredential, MillraceError } from '@millrace/contracts';
import type { Dispatcher } from 'undici';
import { ADDRESS_REFUSED, createCheckedLookup, type ResolveName } from './address-rules.ts';
import { admitCall, CLOSED, reduceBreaker, type BreakerEvent } from './circuit-breaker.ts';
import type { EndpointConfig, EndpointConfigs } from './endpoint-config.ts';
import { buildRequestBody, parseReply, type EndpointReply, type EndpointRequest } from './endpoint-wire.ts';

export type GuardEndpoints = {
  /** Maximum size of a request in bytes. @throws options-invalid if the name is unknown */
  getMaxRequestBytes(name: string): number;
  /**
   * @throws options-invalid if the name is unknown; http-guard-failed for every other problem; the signal's reason if
   * the call was aborted
   */
  ask(name: string, request: EndpointRequest, signal: AbortSignal): Promise<EndpointReply>;
  close(): Promise<void>;
};

export type EndpointsContext = {
  log: { warn(fields: object, message: string): void; info(fields: object, message: string): void };
  now?: () => number;
  resolve?: ResolveName;
};

const MAX_HEADER_BYTES = 16_384;
const KEEP_ALIVE_MS = 4_000;

export function createGuardEndpoints(configs: EndpointConfigs, context: EndpointsContext): GuardEndpoints {
  const endpoints = new Map([...configs].map(([name, config]) => [name, createEndpoint(name, config, context)]));
  const find = (name: string) => {
    const endpoint = endpoints.get(name);
    if (endpoint) return endpoint;
    throw new MillraceError('options-invalid', `The service guardrails has no endpoint "${name}".`, {
      path: 'endpoint',
      remedy: 'Define it in the file of HTTP_GUARDS, and restart the service.',
    });
  };
  return {
    getMaxRequestBytes: (name) => find(name).maxRequestBytes,
    ask: async (name, request, signal) => find(name).ask(request, signal),
    close: async () => {
      await Promise.all([...endpoints.values()].map((endpoint) => endpoint.close()));
    },
  };
}

/** Endpoints of a service without HTTP_GUARDS. */
export const NO_ENDPOINTS: GuardEndpoints = createGuardEndpoints(new Map(), {
  log: { warn: () => undefined, info: () => undefined },
});

type GuardEndpoint = {
  maxRequestBytes: number;
  ask(request: EndpointRequest, signal: AbortSignal): Promise<EndpointReply>;
  close(): Promise<void>;
};

function createEndpoint(
  name: string,
  config: EndpointConfig,
  { log, now = () => performance.now(), resolve }: EndpointsContext,
): GuardEndpoint {
  let opening: Promise<Dispatcher> | undefined;
  let breaker = CLOSED;
  const handleEvent = (event: BreakerEvent) => {
    const before = breaker.state;
    breaker = reduceBreaker(breaker, event, config.breaker);
    if (breaker.state === before) return;
    const level = breaker.state === 'open' ? 'warn' : 'info';
    log[level]({ endpoint: name, from: before, to: breaker.state }, 'circuit breaker of an endpoint');
  };
  return {
    maxRequestBytes: config.maxRequestBytes,
    async ask(request, signal) {
      signal.throwIfAborted();
      const admitted = admitCall(breaker, now());
      handleEvent({ type: 'asked', nowMs: now() });
      if (admitted === 'refuse') throw createFailure(name, 'its circuit breaker is open after repeated failures');
      const isProbe = admitted === 'probe';
      try {
        const dispatcher = await (opening ??= createDispatcher(config, resolve));
        const reply = await callEndpoint(name, config, { dispatcher, request, signal });
        handleEvent({ type: 'succeeded', isProbe });
        return reply;
      } catch (error) {
        handleEvent({ type: signal.aborted ? 'abandoned' : 'failed', isProbe, nowMs: now() });
        throw error;
      }
    },
    close: async () => (await opening)?.destroy(),
  };
}

/** Loads the HTTP client with the first call: a service without endpoints starts without it. */
async function createDispatcher(
  { ca, allowPrivate, timeoutMs, connections, maxResponseBytes }: EndpointConfig,
  resolve?: ResolveName,
): Promise<Dispatcher> {
  const { Agent } = await import('undici');
  return new Agent({
    connect: {
      lookup: createCheckedLookup(allowPrivate, resolve),
      timeout: timeoutMs,
      ...(ca !== undefined && { ca }),
    },
    connections,
    pipelining: 1,
    // One call has one connection, so that a limit that ends it ends no other call.
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: maxResponseBytes,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
}

type EndpointCall = { dispatcher: Dispatcher; request: EndpointRequest; signal: AbortSignal };

async function callEndpoint(
  name: string,
  config: EndpointConfig,
  { dispatcher, request, signal }: EndpointCall,
): Promise<EndpointReply> {
  const overdue = AbortSignal.timeout(config.timeoutMs);
  const text = await post(config, request, { dispatcher, signal: AbortSignal.any([signal, overdue]) }).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      if (overdue.aborted) throw createFailure(name, `it did not answer within ${config.timeoutMs} ms`);
      throw createFailure(name, describeError(error));
    },
  );
  const reply = parseReply(config, request, parseJson(text));
  if (!reply) throw createFailure(name, `its answer is not a valid reply of the format ${config.format}`);
  // A guard may echo its request. Its reason reaches the operator's events, and its texts reach callers.
  if (containsCredential(JSON.stringify(reply), Object.values(config.headers)))
    throw createFailure(name, 'its answer contains a credential of the request');
  return reply;
}

/** Follows no redirect: every status except 200 is an error. */
async function post(
  config: EndpointConfig,
  request: EndpointRequest,
  { dispatcher, signal }: Omit<EndpointCall, 'request'>,
): Promise<string> {
  const { request: sendRequest } = await import('undici');
  const { statusCode, body } = await sendRequest(config.url, {
    method: 'POST',
    headers: { ...config.headers, 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(buildRequestBody(config, request)),
    dispatcher,
    signal,
  });
  if (statusCode === 200) return body.text();
  // The rest of the answer is not read: its connection is closed.
  body.on('error', () => undefined).destroy();
  throw new EndpointStatus(statusCode);
}

class EndpointStatus extends Error {
  readonly statusCode: number;

  constructor(statusCode: number) {
    super(`HTTP ${statusCode}`);
    this.name = 'EndpointStatus';
    this.statusCode = statusCode;
  }
}

const codeSchema = /^[A-Z][A-Z0-9_]{1,63}$/;

/** Describes an error by its status or code alone: a message may quote an address or a certificate. */
function describeError(error: unknown): string {
  if (error instanceof EndpointStatus) return `it answered HTTP ${error.statusCode}`;
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === ADDRESS_REFUSED) return 'its name resolves to an address that is not allowed';
  return `the request failed (${typeof code === 'string' && codeSchema.test(code) ? code : 'no code'})`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const createFailure = (name: string, problem: string): MillraceError =>
  new MillraceError('http-guard-failed', `The endpoint "${name}" cannot judge: ${problem}.`, {
    remedy: 'Check the endpoint and its definition in the file of HTTP_GUARDS.',
  });
