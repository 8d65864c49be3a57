import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { limitCompileCache } from './compile-cache.ts';

function createCache(entries: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-cache-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const version of ['v1', 'v2']) {
    mkdirSync(join(folder, version));
    for (let n = 0; n < entries / 2; n += 1) writeFileSync(join(folder, version, String(n)), '');
  }
  return folder;
}

test('A compile cache with more entries than the maximum is removed', () => {
  const folder = createCache(6);
  limitCompileCache(folder, 5);
  expect(existsSync(folder)).toBe(false);
});

test('A compile cache with the maximum of entries is kept, and a missing one is accepted', () => {
  const folder = createCache(6);
  limitCompileCache(folder, 6);
  expect(existsSync(folder)).toBe(true);
  limitCompileCache(join(folder, 'missing'), 0);
});
