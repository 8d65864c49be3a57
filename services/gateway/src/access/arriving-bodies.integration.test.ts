// Bodies that arrive slowly hold memory: the bytes of one account are bounded.
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { postJson, useGateway } from '../testing/gateway-under-test.ts';

const MAX_BYTES = 32 * 1_024;
const BODIES_OF_ACCOUNT = 16;
const gateway = useGateway({ MAX_BODY_BYTES: String(MAX_BYTES) });
const runs = '/v1/agents/no-such-agent/runs';
const sockets: Socket[] = [];
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));

const LENGTH = `content-length: ${MAX_BYTES}`;
const MOST = 'x'.repeat(MAX_BYTES - 1);
const CHUNKED = 'transfer-encoding: chunked';
const CHUNK = `${MOST.length.toString(16)}\r\n${MOST}\r\n`;

/** Sends a request whose body does not end. */
function sendMost(path: string, headers: string, body: string): void {
  const { port, hostname } = new URL(gateway.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  sockets.push(socket);
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer key-ada\r\n${headers}\r\n\r\n${body}`,
  );
}
const post = async (key: string) =>
  (await gateway.fetch(runs, key, postJson({ input: 'x'.repeat(MAX_BYTES / 1.5) }))).status;

test.each([
  ['with a length', runs, LENGTH, MOST],
  ['in chunks', runs, CHUNKED, CHUNK],
  ['of MCP', '/mcp', LENGTH, MOST],
])('Unfinished bodies %s limit their account until they end', async (_form, path, length, body) => {
  for (let count = 0; count < BODIES_OF_ACCOUNT; count += 1) sendMost(path, length, body);
  await expect.poll(() => post('key-ada'), { timeout: 5_000 }).toBe(429);
  expect(await post('key-bob')).toBe(404);
  for (const socket of sockets.splice(0)) socket.destroy();
  await expect.poll(() => post('key-ada'), { timeout: 5_000 }).toBe(404);
});

test('Requests that announce a body and send none of it limit no caller', async () => {
  for (let count = 0; count < 3 * BODIES_OF_ACCOUNT; count += 1) sendMost(runs, LENGTH, '');
  expect(await post('key-ada')).toBe(404);
});

test('A request that is refused before the end of its body frees its bytes', async () => {
  const invalid = `x-millrace-subject: not valid\r\n${LENGTH}`;
  for (let count = 0; count < 3 * BODIES_OF_ACCOUNT; count += 1) sendMost(runs, invalid, MOST);
  await expect.poll(() => sockets.filter((socket) => socket.bytesRead > 0).length).toBe(3 * BODIES_OF_ACCOUNT);
  expect(await post('key-ada')).toBe(404);
});
