import { useNats, eventually } from '@millrace/testkit';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { connectBus, type BusOptions } from './core/bus.ts';
import { connectNats } from './connection/open-connection.ts';

const dir = mkdtempSync(join(tmpdir(), 'millrace-tls-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const pathTo = (name: string) => join(dir, name);
const [key, cert] = [pathTo('key.pem'), pathTo('cert.pem')];
const [ca, caKey] = [pathTo('ca.pem'), pathTo('ca-key.pem')];
const [clientCert, clientKey] = [pathTo('client.pem'), pathTo('client-key.pem')];

function runOpenssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: 'ignore' });
}

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Makes an authority, and certificates of a server and a client that it signs. */
function makeCertificates(): boolean {
  try {
    runOpenssl('req', '-x509', ...EC, '-days', '2', '-subj', '/CN=Authority', '-keyout', caKey, '-out', ca);
    for (const [keyFile, certFile, name] of [
      [key, cert, 'localhost'],
      [clientKey, clientCert, 'client'],
    ] as const) {
      const request = pathTo(`${name}.csr`);
      const names = pathTo(`${name}.ext`);
      writeFileSync(names, 'subjectAltName=DNS:localhost,IP:127.0.0.1');
      runOpenssl('req', ...EC, '-subj', `/CN=${name}`, '-keyout', keyFile, '-out', request);
      const signed = ['-CA', ca, '-CAkey', caKey, '-CAcreateserial', '-days', '2', '-extfile', names];
      runOpenssl('x509', '-req', '-in', request, '-out', certFile, ...signed);
    }
    return true;
  } catch {
    return false;
  }
}

// Only openssl creates certificates here.
describe.skipIf(!makeCertificates())('over TLS', () => {
  const nats = useNats({ extraConfig: `tls { cert_file: "${cert}", key_file: "${key}" }` });
  const open = () => connectNats({ servers: nats.url, tls: { ca: readFileSync(ca, 'utf8') } });

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

  const connect = (options: Partial<BusOptions> = {}) =>
    connectBus({ servers: nats.url, name: 'tested', connectTimeoutMs: 5_000, ...options });

  test('A connection with the authority of the server is encrypted, also after a restart of the server', async () => {
    const bus = await connect({ tls: { caFile: ca } });
    expect(bus.nc.info?.tls_required).toBe(true);
    await nats.kill();
    await nats.start();
    await eventually(() => bus.nc.rtt().then(() => true));
    await bus.close();
  });

  test.each([
    ['without the authority', {}],
    ['with TLS required and no own authority', { tls: {} }],
    ['with another authority', { tls: { caFile: clientCert } }],
    ['without a time limit', { tls: {}, connectTimeoutMs: undefined }],
  ])('A certificate that is not trusted is named, with the variable of the authority: %s', async (_how, options) => {
    const { connectTimeoutMs, ...settings } = { connectTimeoutMs: 5_000, ...options };
    const failing = connectBus({
      servers: nats.url,
      name: 'tested',
      ...settings,
      ...(connectTimeoutMs !== undefined && { connectTimeoutMs }),
    });
    await expect(failing).rejects.toMatchObject({
      code: 'bus-unreachable',
      message: expect.stringMatching(/certificate/i),
      remedy: expect.stringContaining('NATS_TLS_CA_FILE'),
    });
  });
});

describe.skipIf(!makeCertificates())('over TLS with certificates of clients', () => {
  const nats = useNats({
    extraConfig: `tls { cert_file: "${cert}", key_file: "${key}", ca_file: "${ca}", verify: true }`,
  });

  test('A client connects with a certificate of the authority', async () => {
    const tls = { caFile: ca, certFile: clientCert, keyFile: clientKey };
    const bus = await connectBus({ servers: nats.url, name: 'tested', connectTimeoutMs: 5_000, tls });
    expect(await bus.nc.rtt()).toBeGreaterThanOrEqual(0);
    await bus.close();
  });

  test('A client without a certificate is refused, and the error names the variable', async () => {
    const failing = connectBus({ servers: nats.url, name: 'tested', connectTimeoutMs: 2_000, tls: { caFile: ca } });
    await expect(failing).rejects.toMatchObject({
      code: 'bus-unreachable',
      remedy: expect.stringContaining('NATS_TLS_CERT_FILE'),
    });
  });
});

describe('without TLS', () => {
  const nats = useNats();

  test.each([
    ['the option', (url: string) => ({ servers: url, tls: {} })],
    ['the scheme of the address', (url: string) => ({ servers: url.replace('nats://', 'tls://') })],
  ])('A connection that requires TLS does not fall back to plain text: %s', async (_how, makeOptions) => {
    const failing = connectBus({ name: 'tested', connectTimeoutMs: 5_000, ...makeOptions(nats.url) });
    await expect(failing).rejects.toMatchObject({
      code: 'bus-unreachable',
      message: expect.stringContaining('does not offer TLS'),
    });
  });
});
