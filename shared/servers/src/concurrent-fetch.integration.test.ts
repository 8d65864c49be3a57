// Processes that look for the same program at the same time, with an empty cache between them.
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { find } from './find/find-program.ts';
import { natsProduct } from './find/product.ts';
import { runCommand } from './process/run-command.ts';
import { makeToolDir, writeVersionProgram } from './testing/fake-program.ts';
import { packRelease, serveReleases } from './testing/release-server.ts';
import { scratchDir } from './testing/scratch-dir.ts';

const SEARCHERS = 3;

test('all of them get the same whole program, and one copy stays', { timeout: 30_000 }, async () => {
  const dir = await scratchDir();
  await writeVersionProgram(join(dir, 'packed/bin/nats-server'), 'nats-server: v2.15.1');
  const { product, archive, assetPath } = await packRelease(natsProduct, join(dir, 'packed/bin'), dir);
  const sha256 = createHash('sha256').update(archive).digest('hex');
  // The archive is sent after all processes have requested it: so all of them unpack at the same time.
  const waiting: (() => void)[] = [];
  const { url, requests } = await serveReleases(
    new Map([
      [
        assetPath,
        (response) => {
          waiting.push(() => response.end(archive));
          if (waiting.length === SEARCHERS) for (const release of waiting) release();
        },
      ],
    ]),
  );
  const PATH = await makeToolDir(join(dir, 'tools'));
  const cacheDir = join(dir, 'cache');
  const script = fileURLToPath(new URL('./testing/find-nats-main.ts', import.meta.url));
  const results = await Promise.all(
    Array.from({ length: SEARCHERS }, () =>
      runCommand(process.execPath, [script, cacheDir, url, sha256], { env: { PATH }, timeoutMs: 20_000 }),
    ),
  );
  const found: unknown[] = results.map((result) => (result.ok ? JSON.parse(result.stdout) : result.failure));
  expect(requests.filter((path) => path === assetPath)).toHaveLength(SEARCHERS);
  expect(found[0]).toMatchObject({ kind: 'program', version: '2.15.1' });
  expect(new Set(found.map((each) => JSON.stringify(each))).size).toBe(1);
  expect(await readdir(join(cacheDir, 'nats-server'))).toHaveLength(1);
  expect(await find(product, { env: { PATH }, cacheDir, releasesUrl: url })).toEqual(found[0]);
});
