import { useNats, eventually } from '@millrace/testkit';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { connectNats } from './bus.ts';

const dir = mkdtempSync(join(tmpdir(), 'millrace-tls-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];

function makeCertificate(): boolean {
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  try {
    execFileSync('openssl', [...made, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

// Only openssl creates certificates here.
describe.skipIf(!makeCertificate())('over TLS', () => {
  const nats = useNats({ extraConfig: `tls { cert_file: "${cert}", key_file: "${key}" }` });
  const open = () => connectNats({ servers: nats.url, tls: { ca: readFileSync(cert, 'utf8') } });

  test('Messages of all sizes arrive in order, before and after a restart of the server', async () => {
    const nc = await open();
    const sizes: number[] = [];
    nc.subscribe('sizes', { callback: (_error, message) => void sizes.push(message.data.length) });
    const send = async () => {
      sizes.length = 0;
      for (const size of [1, 100_000, 2, 64_000, 3]) {
        nc.publish('sizes', Buffer.alloc(size));
        await Promise.resolve();
      }
      await nc.flush();
      expect(sizes).toEqual([1, 100_000, 2, 64_000, 3]);
    };
    await send();
    await nats.kill();
    await nats.start();
    await eventually(() => nc.rtt().then(() => true));
    await send();
    await nc.close();
  });

  test('Messages published before the drain of a connection arrive', async () => {
    const [sender, receiver] = await Promise.all([open(), open()]);
    const messages: string[] = [];
    receiver.subscribe('last', { callback: (_error, message) => void messages.push(message.string()) });
    await receiver.flush();
    sender.publish('last', 'one');
    sender.publish('last', 'two');
    await sender.drain();
    await eventually(() => messages.length >= 2);
    expect(messages).toEqual(['one', 'two']);
    await receiver.close();
  });

  test('An untrusted certificate is rejected', async () => {
    await expect(connectNats({ servers: nats.url, tls: {} })).rejects.toThrow(/certificate|self.signed/i);
  });
});
