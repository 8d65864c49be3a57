import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readEndpointConfigs } from './endpoint-config.ts';

async function read(content: string | object) {
  const dir = await mkdtemp(join(tmpdir(), 'endpoints-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const path = join(dir, 'guards.json');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  await writeFile(join(dir, 'ca.pem'), certificate.cert);
  return readEndpointConfigs(path);
}
const certificate = await generate([{ name: 'commonName', value: 'guard.example' }]);
const acme = { url: 'https://guard.example/judge', format: 'millrace' };

describe('the file of HTTP_GUARDS', () => {
  test('an endpoint has defaults, and its caFile is read next to the file', async () => {
    const configs = await read({ endpoints: { acme: { ...acme, caFile: 'ca.pem' } } });
    expect(configs.get('acme')).toEqual({
      ...acme,
      ca: certificate.cert,
      headers: {},
      allowPrivate: false,
      timeoutMs: 4_000,
      maxRequestBytes: 1_048_576,
      maxResponseBytes: 1_048_576,
      connections: 16,
      breaker: { failures: 5, openMs: 10_000 },
      params: {},
    });
  });
  test.each<[object, string]>([
    [{ url: 'guard.example' }, 'endpoints.acme.url'],
    [{ url: 'ftp://guard.example' }, 'endpoints.acme.url'],
    [{ url: 'http://guard.example' }, 'must be https, unless allowPrivate is true'],
    [{ url: 'https://user:s3cret-pass@guard.example' }, 'must not contain credentials'],
    [{ url: 'https://127.0.0.1/' }, 'must not be a private, local or reserved address'],
    [{ url: 'https://0x7f.1/' }, 'must not be a private, local or reserved address'],
    [{ url: 'https://2130706433/' }, 'must not be a private, local or reserved address'],
    [{ url: 'https://[::ffff:127.0.0.1]/' }, 'must not be a private, local or reserved address'],
    [{ url: 'http://169.254.169.254/', allowPrivate: true }, 'must not be a private, local or reserved address'],
    [{ format: 'other' }, 'endpoints.acme.format'],
    [{ headers: { 'bad name': 'x' } }, 'endpoints.acme.headers'],
    [{ headers: { authorization: 's3cret-pass\nx: y' } }, 'endpoints.acme.headers'],
    [{ headers: { Host: 'other.example' } }, 'must not set'],
    [{ timeoutMs: 60_000 }, 'endpoints.acme.timeoutMs'],
    [{ token: 's3cret-pass' }, 'endpoints.acme.token: is not a known field'],
    [{ caFile: 'missing.pem' }, 'missing.pem cannot be read'],
    [{ caFile: 'guards.json' }, 'endpoints.acme.caFile: is not a certificate in PEM'],
  ])('an endpoint with %j is refused: %s', async (more, problem) => {
    const error: unknown = await read({ endpoints: { acme: { ...acme, ...more } } }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'config-invalid', message: expect.stringContaining(problem) });
    expect(String(error)).not.toContain('s3cret');
  });
  test.each(['{"endpoints": {"a": "s3cret', '', '[]', '{"endpoints": {"Bad Name": {}}}'])(
    'the file %j is refused without a quotation',
    async (content) => {
      const error: unknown = await read(content).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'config-invalid', message: expect.stringContaining('HTTP_GUARDS') });
      expect(JSON.stringify(error) + String(error)).not.toContain('s3cret');
    },
  );
  test('an absent file is refused', async () => {
    await expect(readEndpointConfigs('/nowhere/guards.json')).rejects.toMatchObject({ code: 'config-invalid' });
  });
});
