// The files of the console: their headers, and nothing outside of the folder.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { useGateway } from '../testing/gateway-under-test.ts';

const root = await mkdtemp(join(tmpdir(), 'millrace-console-'));
const folder = join(root, 'site');
await mkdir(join(folder, 'assets'), { recursive: true });
await writeFile(join(root, 'secret.js'), 'secret');
await writeFile(
  join(folder, 'index.html'),
  '<meta nonce="__CSP_NONCE__"><script src="/console/assets/a-1.js"></script>',
);
await writeFile(join(folder, 'assets/a-1.js'), 'plain');
await writeFile(join(folder, 'assets/a-1.js.gz'), gzipSync('packed'));
afterAll(() => rm(root, { recursive: true, force: true }));

describe('a built console', () => {
  const gateway = useGateway({ CONSOLE_DIR: folder });

  test('The root and /console lead to the console', async () => {
    const roots = await Promise.all(
      ['/', '/console'].map((path) => gateway.fetch(path, undefined, { redirect: 'manual' })),
    );
    expect(roots.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
      [302, '/console/'],
      [302, '/console/'],
    ]);
  });

  test.each(['/console/', '/console/runs/run-1'])(
    '%s is the page, under a strict policy with a nonce of its own',
    async (path) => {
      const page = await gateway.fetch(path, undefined);
      const policy = page.headers.get('content-security-policy') ?? '';
      const [, nonce = ''] = /'nonce-([^']+)'/.exec(policy) ?? [];
      expect(policy).toContain("default-src 'none'; script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(await page.text()).toContain(`nonce="${nonce}"`);
      expect(page.headers.get('x-content-type-options')).toBe('nosniff');
      expect(page.headers.get('cache-control')).toBe('no-cache');
      const again = await gateway.fetch(path, undefined);
      expect(again.headers.get('content-security-policy')).not.toContain(nonce);
    },
  );

  test('A file is cached forever, and packed if the browser accepts it', async () => {
    const packed = await gateway.fetch('/console/assets/a-1.js', undefined, { headers: { 'accept-encoding': 'gzip' } });
    expect([packed.headers.get('content-encoding'), await packed.text()]).toEqual(['gzip', 'packed']);
    const plain = await gateway.fetch('/console/assets/a-1.js', undefined, {
      headers: { 'accept-encoding': 'identity' },
    });
    expect([plain.headers.get('content-type'), await plain.text()]).toEqual([
      'text/javascript; charset=utf-8',
      'plain',
    ]);
    expect(plain.headers.get('cache-control')).toContain('immutable');
    expect(plain.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test.each([
    '/console/assets/..%2F..%2Fsecret.js',
    '/console/assets/..%2Findex.html',
    '/console/assets/none.js',
    '/console/assets/.env',
  ])('%s is no file of the console', async (path) => {
    const response = await gateway.fetch(path, undefined);
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain('secret');
  });
});

describe('a gateway without a build', () => {
  const gateway = useGateway({ CONSOLE_DIR: join(root, 'none') });

  test('shows a page that names the build', async () => {
    const page = await gateway.fetch('/console/', undefined);
    expect(page.status).toBe(503);
    expect(await page.text()).toContain('node console/build.mjs');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});
