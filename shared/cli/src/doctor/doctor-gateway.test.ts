// The gateway's lines of `millrace doctor`, over HTTP.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { checkGateway } from './doctor-gateway.ts';

/** Answers every path as a gateway that is ready does, and records the requests that have a key. */
async function serveGateway() {
  const withKey: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    if (request.headers.authorization) withKey.push(request.url);
    response.end(JSON.stringify({ status: 'ok', version: '0.1.0' }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on a port has an address of this form
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, withKey, close: () => server.close() };
}

const key = { text: 'mk_secret', source: 'MILLRACE_API_KEY' };

test('A gateway at an address that no setting names may be a foreign one: a warning has the reason, and no key is sent.', async () => {
  const { url, withKey, close } = await serveGateway();
  const source = 'the default, because neither --gateway nor the stack.json of this NATS names one';
  const [health, ...others] = await checkGateway({ url, source, isExpected: false, key });
  const named = await checkGateway({ url, source: '--gateway', isExpected: true, key });
  close();
  expect(health).toMatchObject({ level: 'warn', remedy: expect.stringContaining('--gateway URL') });
  expect(health?.message).toContain(`${url} (from ${source}) answers`);
  expect(health?.message).toContain('may belong to another installation');
  expect(others.map(({ name }) => name)).toEqual(['console']);
  expect(named.map(({ name, level }) => [name, level])).toEqual([
    ['gateway', 'ok'],
    ['console', 'ok'],
    ['key', 'ok'],
  ]);
  expect(withKey).toEqual(['/v1/runs?limit=1']);
});
