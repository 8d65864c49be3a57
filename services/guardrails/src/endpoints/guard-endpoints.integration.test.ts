// Calls real HTTP and HTTPS servers.
import type { JsonValue } from '@millrace/contracts';
import { eventually, TEST_RUN } from '@millrace/testkit';
import { once } from 'node:events';
import { createSecureServer } from 'node:http2';
import { generate } from 'selfsigned';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { makeEndpointConfig, startGuardServer, type GuardAnswer } from '../testing/guard-server.ts';
import type { ResolveName } from './address-rules.ts';
import type { EndpointConfig } from './endpoint-config.ts';
import type { EndpointRequest } from './endpoint-wire.ts';
import { createGuardEndpoints, type EndpointsContext } from './guard-endpoints.ts';

const request: EndpointRequest = {
  stage: 'processInput',
  direction: 'request',
  run: TEST_RUN,
  entry: 'acme-entry',
  texts: ['hello', 'world'],
};
const { signal } = new AbortController();
const SECRET = 'Bearer s3cret-token-of-acme';
const never = () => new Promise<never>(() => undefined);

function createEndpoints(config: EndpointConfig, more: Partial<EndpointsContext> = {}) {
  const logged: string[] = [];
  const write = (fields: object, message: string) => void logged.push(JSON.stringify({ ...fields, message }));
  const endpoints = createGuardEndpoints(new Map([['acme', config]]), { log: { warn: write, info: write }, ...more });
  onTestFinished(() => endpoints.close());
  return { logged, ask: (given = request, from = signal) => endpoints.ask('acme', given, from), endpoints };
}
const failing = (problem: string) => ({
  code: 'http-guard-failed',
  message: `The endpoint "acme" cannot judge: ${problem}.`,
});

describe('requests and replies', () => {
  test('the format millrace has the texts, the stage and the run', async () => {
    const server = await startGuardServer();
    const headers = { authorization: SECRET };
    const { ask } = createEndpoints(makeEndpointConfig(server.url, { headers, params: { level: 3 } }));
    expect(await ask({ ...request, tool: 'mail' })).toEqual({ action: 'allow' });
    const [sent] = server.requests;
    expect(sent?.headers).toMatchObject({ authorization: SECRET, 'content-type': 'application/json' });
    expect(sent?.body).toEqual({
      version: 1,
      stage: 'processInput',
      direction: 'request',
      tenant: TEST_RUN.tenant,
      runId: TEST_RUN.runId,
      agent: TEST_RUN.agent,
      entry: 'acme-entry',
      tool: 'mail',
      texts: ['hello', 'world'],
      params: { level: 3 },
    });
  });
  test("the format litellm is LiteLLM's generic guardrail API", async () => {
    const server = await startGuardServer();
    server.answer(() => ({ action: 'GUARDRAIL_INTERVENED', texts: ['a', 'b'], images: null, blocked_reason: null }));
    const { ask } = createEndpoints(makeEndpointConfig(server.url, { format: 'litellm', params: { level: 3 } }));
    expect(await ask()).toEqual({ action: 'replace', texts: ['a', 'b'] });
    expect(server.requests[0]?.body).toEqual({
      texts: ['hello', 'world'],
      request_data: { user_api_key_team_id: TEST_RUN.tenant, user_api_key_end_user_id: TEST_RUN.resourceId },
      input_type: 'request',
      litellm_call_id: expect.any(String),
      litellm_trace_id: TEST_RUN.runId,
      additional_provider_specific_params: { level: 3 },
    });
  });
  test.each<[EndpointConfig['format'], JsonValue, object]>([
    ['millrace', { action: 'block', reason: 'x'.repeat(900), rule: 'r' }, { reason: 'x'.repeat(500), rule: 'r' }],
    ['millrace', { action: 'replace', texts: ['', 'x'.repeat(1_044)] }, { action: 'replace' }],
    ['litellm', { action: 'NONE', texts: ['ignored'] }, { action: 'allow' }],
    ['litellm', { action: 'BLOCKED', blocked_reason: 'rude' }, { action: 'block', reason: 'rude' }],
    ['litellm', { action: 'BLOCKED' }, { action: 'block' }],
  ])('the reply of the format %s is accepted: %j', async (format, reply, expected) => {
    const server = await startGuardServer();
    server.answer(() => reply);
    expect(await createEndpoints(makeEndpointConfig(server.url, { format })).ask()).toMatchObject(expected);
  });
  test.each<[EndpointConfig['format'], JsonValue]>([
    ['millrace', { action: 'NONE' }],
    ['millrace', { action: 'allow', texts: [] }],
    ['millrace', { action: 'replace' }],
    ['millrace', { action: 'replace', texts: ['one'] }],
    ['millrace', { action: 'replace', texts: ['1', '2', '3'] }],
    ['millrace', { action: 'replace', texts: ['', 'x'.repeat(1_045)] }],
    ['millrace', { action: 'replace', texts: ['a', 7] }],
    ['millrace', []],
    ['millrace', 'allow'],
    ['litellm', { action: 'allow' }],
    ['litellm', { action: 'GUARDRAIL_INTERVENED', texts: null, images: ['eA=='] }],
    ['litellm', { action: 'GUARDRAIL_INTERVENED', texts: ['one'] }],
    ['litellm', {}],
  ])('the reply of the format %s is refused, not allowed: %j', async (format, reply) => {
    const server = await startGuardServer();
    server.answer(() => reply);
    const asked = createEndpoints(makeEndpointConfig(server.url, { format })).ask();
    await expect(asked).rejects.toMatchObject(failing(`its answer is not a valid reply of the format ${format}`));
  });
});

const faults: [string, GuardAnswer, string, Partial<EndpointConfig>][] = [
  ['a redirect', (_, out) => void out.writeHead(307, { location: '/other' }).end(), 'it answered HTTP 307', {}],
  ['HTTP 500', (_, out) => void out.writeHead(500).end('{"action":"allow"}'), 'it answered HTTP 500', {}],
  ['HTTP 401', (_, out) => void out.writeHead(401).end(SECRET), 'it answered HTTP 401', {}],
  ['HTTP 204', (_, out) => void out.writeHead(204).end(), 'it answered HTTP 204', {}],
  ['no JSON', (_, out) => void out.end('<html>'), 'its answer is not a valid reply of the format millrace', {}],
  ['an empty body', (_, out) => void out.end(), 'its answer is not a valid reply of the format millrace', {}],
  ['no answer', never, 'it did not answer within 200 ms', { timeoutMs: 200 }],
  ['an answer of one byte every 50 ms', drip, 'it did not answer within 300 ms', { timeoutMs: 300 }],
  ['an endless body', flood, 'the request failed (UND_ERR_RES_EXCEEDED_MAX_SIZE)', {}],
  ['endless headers', floodHeaders, 'the request failed (UND_ERR_HEADERS_OVERFLOW)', {}],
  ['a reset', (_, out) => void out.socket?.destroy(), 'the request failed (UND_ERR_SOCKET)', {}],
  ['an echo of the credential', () => ({ action: 'block', reason: `got ${SECRET}` }), CREDENTIAL(), {}],
  ['a text with the credential', () => ({ action: 'replace', texts: ['a', 's3cret-token-of-acme'] }), CREDENTIAL(), {}],
];
function CREDENTIAL(): string {
  return 'its answer contains a credential of the request';
}
function drip(_: unknown, out: Parameters<GuardAnswer>[1]): void {
  const timer = setInterval(() => out.write(' '), 50);
  out.on('close', () => clearInterval(timer));
}
function flood(_: unknown, out: Parameters<GuardAnswer>[1]): void {
  const piece = 'x'.repeat(65_536);
  const timer = setInterval(() => out.write(piece), 1);
  out.on('close', () => clearInterval(timer));
}
function floodHeaders(_: unknown, out: Parameters<GuardAnswer>[1]): void {
  for (let at = 0; at < 100; at++) out.setHeader(`x-${at}`, 'x'.repeat(1_000));
  out.end('{"action":"allow"}');
}

test.each(faults)('%s is a failure without credentials in its error and log', async (_, answer, problem, more) => {
  const server = await startGuardServer();
  server.answer(answer);
  const config = makeEndpointConfig(server.url, {
    headers: { authorization: SECRET },
    breaker: { failures: 1, openMs: 1 },
    ...more,
  });
  const { ask, logged } = createEndpoints(config);
  const error: unknown = await ask().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject(failing(problem));
  const cause = error instanceof Error ? error.cause : undefined;
  expect([String(error), JSON.stringify(error), String(cause), ...logged].join('\n')).not.toMatch(
    /s3cret|127\.0\.0\.1/,
  );
  expect(server.requests).toHaveLength(1);
});

describe('addresses', () => {
  const config = (port: number, more: Partial<EndpointConfig> = {}) =>
    makeEndpointConfig(`http://guard.example:${port}/`, more);
  const resolveTo = (...addresses: string[]) => {
    const calls: string[] = [];
    const resolve: ResolveName = (name, _, callback) => {
      calls.push(name);
      const [address = ''] = addresses.length > 1 ? addresses.splice(0, 1) : addresses;
      callback(null, [{ address, family: 4 }]);
    };
    return { calls, resolve };
  };
  test('a name with a private address is refused, unless the operator allows it', async () => {
    const server = await startGuardServer();
    const { resolve } = resolveTo('127.0.0.1');
    const refusing = createEndpoints(config(server.port, { allowPrivate: false }), { resolve });
    await expect(refusing.ask()).rejects.toMatchObject(failing('its name resolves to an address that is not allowed'));
    expect(server.requests).toEqual([]);
    const allowing = createEndpoints(config(server.port), { resolve });
    expect(await allowing.ask()).toEqual({ action: 'allow' });
  });
  test('a name that resolves to another address later (DNS rebinding) is refused at its next connection', async () => {
    const server = await startGuardServer();
    server.answer((_, out) => void out.setHeader('connection', 'close').end('{"action":"allow"}'));
    const { calls, resolve } = resolveTo('127.0.0.1', '169.254.169.254');
    const { ask } = createEndpoints(config(server.port), { resolve });
    expect(await ask()).toEqual({ action: 'allow' });
    expect(calls).toHaveLength(1);
    await expect(ask()).rejects.toMatchObject(failing('its name resolves to an address that is not allowed'));
    expect(server.requests).toHaveLength(1);
  });
});

const portSchema = z.object({ port: z.number() });
const makeCertificate = () =>
  generate([{ name: 'commonName', value: 'guard.example' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });

describe('TLS', () => {
  test('a self-signed certificate is refused, and accepted if it is the configured CA', async () => {
    const { private: key, cert } = await makeCertificate();
    const server = await startGuardServer({ key, cert });
    await expect(createEndpoints(makeEndpointConfig(server.url)).ask()).rejects.toMatchObject(
      failing('the request failed (DEPTH_ZERO_SELF_SIGNED_CERT)'),
    );
    expect(await createEndpoints(makeEndpointConfig(server.url, { ca: cert })).ask()).toEqual({ action: 'allow' });
    const { cert: other } = await makeCertificate();
    await expect(createEndpoints(makeEndpointConfig(server.url, { ca: other })).ask()).rejects.toMatchObject({
      code: 'http-guard-failed',
    });
  });
});

test('a call uses HTTP/1.1, also if the endpoint offers HTTP/2', async () => {
  const { private: key, cert } = await makeCertificate();
  const versions: string[] = [];
  const server = createSecureServer({ key, cert, allowHTTP1: true }, ({ httpVersion }, out) => {
    versions.push(httpVersion);
    out.end('{"action":"allow"}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = portSchema.parse(server.address());
  const { ask, endpoints } = createEndpoints(makeEndpointConfig(`https://127.0.0.1:${port}/`, { ca: cert }));
  expect(await ask()).toEqual({ action: 'allow' });
  await endpoints.close();
  expect(versions).toEqual(['1.1']);
});

describe('the circuit breaker of an endpoint', () => {
  test('repeated failures stop the calls, and one successful call after the delay allows them again', async () => {
    const server = await startGuardServer();
    const clock = { ms: 0 };
    const breaker = { failures: 2, openMs: 1_000 };
    const { ask, logged } = createEndpoints(makeEndpointConfig(server.url, { breaker }), { now: () => clock.ms });
    server.answer((_, out) => void out.writeHead(503).end());
    await expect(ask()).rejects.toThrow('HTTP 503');
    await expect(ask()).rejects.toThrow('HTTP 503');
    await expect(ask()).rejects.toThrow('its circuit breaker is open after repeated failures');
    expect(server.requests).toHaveLength(2);
    clock.ms = 1_000;
    await expect(ask()).rejects.toThrow('HTTP 503');
    await expect(ask()).rejects.toThrow('circuit breaker');
    clock.ms = 2_000;
    server.answer(() => ({ action: 'allow' }));
    const probe = ask();
    await expect(ask()).rejects.toThrow('circuit breaker');
    expect(await probe).toEqual({ action: 'allow' });
    expect(await ask()).toEqual({ action: 'allow' });
    expect(logged.filter((line) => line.includes('"to":"open"'))).toHaveLength(2);
  });
  test('a cancelled call does not count, and a cancelled probe lets the next call be the probe', async () => {
    const server = await startGuardServer();
    const clock = { ms: 0 };
    const { ask } = createEndpoints(makeEndpointConfig(server.url, { breaker: { failures: 1, openMs: 1_000 } }), {
      now: () => clock.ms,
    });
    const cancelCall = async () => {
      const cancel = new AbortController();
      const count = server.requests.length;
      server.answer(never);
      const asked = ask(request, cancel.signal);
      await eventually(() => server.requests.length > count);
      cancel.abort(new Error('the run was cancelled'));
      await expect(asked).rejects.toThrow('the run was cancelled');
    };
    await cancelCall();
    server.answer((_, out) => void out.writeHead(500).end());
    await expect(ask()).rejects.toThrow('HTTP 500');
    clock.ms = 1_000;
    await cancelCall();
    server.answer(() => ({ action: 'allow' }));
    expect(await ask()).toEqual({ action: 'allow' });
  });
});

test('an unknown endpoint is a permanent failure that names the file', async () => {
  const { endpoints } = createEndpoints(makeEndpointConfig('http://127.0.0.1:1/'));
  await expect(endpoints.ask('other', request, signal)).rejects.toMatchObject({
    code: 'options-invalid',
    remedy: expect.stringContaining('HTTP_GUARDS'),
  });
});
