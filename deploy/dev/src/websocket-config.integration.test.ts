// Starts NATS with the WebSocket listener of deploy/nats/websocket.conf, and connects as pages of two origins.
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { startNats } from '@millrace/servers';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import { scratchDir } from './testing/scratch-dir.ts';

const ORIGIN = 'https://app.example.com';
const CERTS = '/etc/nats/certs';

/** Returns the status of the answer to an upgrade: 101, or a refusal. */
function upgrade(port: string, origin: string, ca: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      origin,
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const sent = request({ host: '127.0.0.1', port, headers, ca, servername: 'localhost', agent: false });
    sent.once('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      resolve(statusCode);
    });
    sent.once('response', ({ statusCode }) => {
      sent.destroy();
      resolve(statusCode);
    });
    sent.once('error', reject);
    sent.end();
  });
}

test(
  'The listener of compose has TLS, and accepts pages of the configured origins alone',
  { timeout: 60_000 },
  async () => {
    const storeDir = await scratchDir();
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' });
    await writeFile(join(storeDir, 'tls.crt'), cert);
    await writeFile(join(storeDir, 'tls.key'), key);
    const file = await readFile(join(import.meta.dirname, '../../nats/websocket.conf'), 'utf8');
    const block = file.slice(file.indexOf('websocket {'));
    expect(file).toContain('include "nats.conf"');
    expect(block).toContain('listen: 0.0.0.0:8443');
    const own = block.replaceAll(CERTS, storeDir).replace('0.0.0.0:8443', '"127.0.0.1:-1"');
    // The server resolves a variable by its configuration first, and then by its environment.
    const extraConfig = `NATS_WEBSOCKET_ORIGINS: ${JSON.stringify([ORIGIN])}\n${own}`;
    const server = await startNats({ storeDir, extraConfig });
    onTestFinished(() => server.stop());
    const { protocol, port } = new URL(server.webSocketUrl ?? '');
    expect(protocol).toBe('wss:');
    expect(await upgrade(port, ORIGIN, cert)).toBe(101);
    expect(await upgrade(port, 'https://evil.example', cert)).toBe(403);
  },
);
