// Sessions of the console: a cookie counts in same-origin requests of the own API only, and ends with its key.
import { describe, expect, test } from 'vitest';
import { postJson, readEvents, useGateway } from '../testing/gateway-under-test.ts';

const gateway = useGateway();

type SignedIn = { cookie: string; header: string; origin: string };
const signIn = async (key: string, headers: Record<string, string> = {}): Promise<Response> => {
  const origin = gateway.url;
  return gateway.fetch('/console/session', undefined, postJson({ key }, { origin, ...headers }));
};
async function open(key: string): Promise<SignedIn> {
  const response = await signIn(key);
  expect(response.status).toBe(200);
  const header = response.headers.get('set-cookie') ?? '';
  return { header, cookie: header.split(';')[0] ?? '', origin: gateway.url };
}

describe('sign-in', () => {
  test('A session is an opaque cookie that no script reads, and its answer holds no key', async () => {
    const response = await signIn('key-ada');
    expect(response.headers.get('set-cookie')).toMatch(
      /^millrace_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ session: { subject: 'ada', scopes: ['run', 'read', 'answer'] } });
    expect(text + response.headers.get('set-cookie')).not.toContain('key-ada');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test('A page that was reached over TLS gets a Secure cookie', async () => {
    const origin = gateway.url.replace('http:', 'https:');
    expect((await signIn('key-ada', { origin })).headers.get('set-cookie')).toContain('; Secure');
  });

  test('A refused key opens no session', async () => {
    const response = await signIn('key-unknown');
    expect([response.status, response.headers.get('set-cookie')]).toEqual([401, null]);
  });

  test.each([
    ['of another origin', { origin: 'http://evil.example' }],
    ['without an origin', { origin: '' }],
    ['of another port of the same host', { origin: 'http://127.0.0.1:1' }],
    ['that the browser marks as cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['that the browser marks as same-site', { 'sec-fetch-site': 'same-site' }],
  ])('A sign-in %s is refused', async (_, headers) => {
    const response = await signIn('key-ada', headers);
    expect([response.status, response.headers.get('set-cookie')]).toEqual([403, null]);
  });

  test('A request with a large body is refused', async () => {
    expect((await signIn('k'.repeat(20_000))).status).toBe(413);
  });
});

describe('a session', () => {
  test('reads the own API and shows its rights', async () => {
    const { cookie } = await open('key-ada');
    expect((await gateway.fetch('/v1/runs', undefined, { headers: { cookie } })).status).toBe(200);
    const shown = await gateway.fetch('/console/session', undefined, { headers: { cookie } });
    expect(await shown.json()).toMatchObject({ session: { subject: 'ada', tenant: 'default' } });
  });

  test('changes state with the origin of its gateway only', async () => {
    const { cookie, origin } = await open('key-root');
    const post = (headers: Record<string, string>) =>
      gateway.fetch('/v1/runs/run-none/cancel', undefined, { method: 'POST', headers: { cookie, ...headers } });
    expect((await post({})).status).toBe(403);
    expect((await post({ origin: 'http://127.0.0.1:1' })).status).toBe(403);
    expect((await post({ origin, 'sec-fetch-site': 'same-site' })).status).toBe(403);
    expect((await post({ origin, 'sec-fetch-site': 'same-origin' })).status).toBe(404);
  });

  test('refuses to read for a page of another site', async () => {
    const { cookie } = await open('key-ada');
    const read = (site: string) =>
      gateway.fetch('/v1/runs', undefined, { headers: { cookie, 'sec-fetch-site': site } });
    expect((await read('same-site')).status).toBe(403);
    expect((await read('cross-site')).status).toBe(403);
    expect((await read('same-origin')).status).toBe(200);
  });

  test.each<[string, (url: URL) => Record<string, string>]>([
    ['of another site', () => ({ origin: 'http://evil.example' })],
    ['without an origin', () => ({ origin: 'null' })],
    ['of another port', () => ({ origin: 'http://127.0.0.1:1' })],
    ['of another name of the host', ({ port }) => ({ origin: `http://localhost:${port}` })],
    ['with the scheme of an app', ({ host }) => ({ origin: `capacitor://${host}` })],
    ['with a user in its origin', ({ host }) => ({ origin: `http://evil@${host}` })],
    ['with a path in its origin', ({ host }) => ({ origin: `http://${host}/page` })],
    ['that the browser marks as cross-site', ({ origin }) => ({ origin, 'sec-fetch-site': 'cross-site' })],
    ['that the browser marks as same-site', ({ origin }) => ({ origin, 'sec-fetch-site': 'same-site' })],
  ])('serves no page %s, on any route', async (_, write) => {
    const { cookie } = await open('key-root');
    const headers = { cookie, ...write(new URL(gateway.url)) };
    const routes = gateway.listRoutes().filter(({ method, path }) => method !== 'ALL' && path.startsWith('/v1/'));
    const accepted: string[] = [];
    for (const { method, path } of routes) {
      const { status } = await gateway.fetch(path.replaceAll(':', ''), undefined, { method, headers });
      if (![401, 403].includes(status)) accepted.push(`${method} ${path} ${status}`);
    }
    expect(accepted).toEqual([]);
    expect(routes.length).toBeGreaterThan(40);
  });

  test('is refused by the route of bus tokens, and remains open', async () => {
    const { cookie, origin } = await open('key-root');
    const refused = await gateway.fetch('/v1/bus-tokens', undefined, postJson({}, { cookie, origin }));
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { code: 'scope-missing', remedy: expect.stringContaining('API key') },
    ]);
    expect((await gateway.fetch('/v1/runs', undefined, { headers: { cookie } })).status).toBe(200);
  });

  test.each(['/v1/models', '/mcp', '/v1/chat/completions'])('is no credential of %s', async (path) => {
    const { cookie, origin } = await open('key-root');
    const init = path === '/v1/models' ? {} : postJson({});
    const headers = { ...Object.fromEntries(new Headers(init.headers)), cookie, origin };
    expect((await gateway.fetch(path, undefined, { ...init, headers })).status).toBe(401);
  });

  test('is no part of an address', async () => {
    const { cookie } = await open('key-ada');
    expect((await gateway.fetch(`/v1/runs?threadId=${encodeURIComponent(cookie)}`, undefined)).status).toBe(401);
  });

  test('ends with the sign-out', async () => {
    const { cookie, origin } = await open('key-ada');
    const out = (headers: Record<string, string>) =>
      gateway.fetch('/console/session', undefined, { method: 'DELETE', headers: { cookie, ...headers } });
    expect((await out({ origin: 'http://evil.example' })).status).toBe(403);
    const ended = await out({ origin });
    expect([ended.status, ended.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    expect((await gateway.fetch('/v1/runs', undefined, { headers: { cookie } })).status).toBe(401);
    const shown = await gateway.fetch('/console/session', undefined, { headers: { cookie } });
    expect(await shown.json()).toEqual({ session: null });
  });

  test('that was invented opens nothing', async () => {
    const cookie = `millrace_session=${'A'.repeat(43)}`;
    expect((await gateway.fetch('/v1/runs', undefined, { headers: { cookie } })).status).toBe(401);
  });

  test('and its streams end with the revocation of the key', async () => {
    const { cookie, origin } = await open('key-silent');
    await gateway.stack.client.agents.apply({ name: 'slow-session', model: 'openai/gpt-5-mini', instructions: 'x' });
    const words = '```script\n[{"text":"one two three four five six","chunkSize":1,"delayMs":400}]\n```';
    const start = await gateway.fetch(
      '/v1/agents/slow-session/runs',
      undefined,
      postJson({ input: words }, { cookie, origin, accept: 'text/event-stream' }),
    );
    expect(start.status).toBe(200);
    const reading = readEvents(start);
    gateway.revoke('key-silent');
    const events = await reading;
    expect(events.filter(({ event }) => event === 'end')).toEqual([]);
    expect((await gateway.fetch('/v1/runs', undefined, { headers: { cookie } })).status).toBe(401);
    const shown = await gateway.fetch('/console/session', undefined, { headers: { cookie } });
    expect(await shown.json()).toEqual({ session: null });
  });
});
