// Bodies that arrive slowly hold memory: the bytes of one account are bounded.
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { postJson, useGateway } from '../testing/gateway-under-test.ts';

const MAX_BYTES = 4_096;
const BODIES_OF_ACCOUNT = 16;
const gateway = useGateway({ MAX_BODY_BYTES: String(MAX_BYTES) });
const path = '/v1/agents/no-such-agent/runs';
const sockets: Socket[] = [];
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));

/** Sends a request whose body lacks its last byte. */
function sendMost(length: string, body: string): void {
  const { port, hostname } = new URL(gateway.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  sockets.push(socket);
  socket.write(`POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer key-ada\r\n${length}\r\n\r\n${body}`);
}
const post = async (key: string) => (await gateway.fetch(path, key, postJson({ input: 'hi' }))).status;

test.each([
  ['with a length', `content-length: ${MAX_BYTES}`, 'x'.repeat(MAX_BYTES - 1)],
  ['in chunks', 'transfer-encoding: chunked', `10\r\n${'x'.repeat(16)}\r\n`],
])('An account whose unfinished bodies %s fill its memory is limited until they end', async (_form, length, body) => {
  for (let count = 0; count < BODIES_OF_ACCOUNT; count += 1) sendMost(length, body);
  await expect.poll(() => post('key-ada'), { timeout: 5_000 }).toBe(429);
  expect(await post('key-bob')).toBe(404);
  for (const socket of sockets.splice(0)) socket.destroy();
  await expect.poll(() => post('key-ada'), { timeout: 5_000 }).toBe(404);
});
