import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { collectDocuments, selectDocumentHalf } from './collect-documents.ts';
import { getPackageFolder, readPackageList, type PinnedPackage } from './package-list.ts';

const pinned: PinnedPackage = { registry: 'npm', name: 'example', version: '1.0.0', sha256: 'f'.repeat(64) };
const half = selectDocumentHalf(pinned.name);
afterEach(() => rmSync(getPackageFolder(pinned), { recursive: true, force: true }));

function writePackage(files: Record<string, string>): void {
  const folder = getPackageFolder(pinned);
  mkdirSync(join(folder, 'docs'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

test('a document is in the bucket of its length, and other files are none', () => {
  const sentence = 'The valve opens when the pressure rises. ';
  writePackage({
    'short.md': sentence.repeat(10),
    'docs/middle.html': sentence.repeat(100),
    'docs/long.py': sentence.repeat(400),
    'tiny.md': sentence,
    'picture.png': sentence.repeat(10),
    'code.min.js': sentence.repeat(11),
    'binary.txt': `\0${sentence.repeat(12)}`,
  });
  expect(collectDocuments([pinned], half).map(({ bucket, kind }) => [bucket, kind])).toEqual([
    ['under 2,000', 'documentation'],
    ['2,000 to 8,000', 'page'],
    ['8,000 to 32,000', 'source'],
  ]);
});

test('a package contributes at most 20 documents, none of them twice', () => {
  const texts = Array.from({ length: 30 }, (_, at) => [`page-${at}.txt`, `Page ${at}. ${'word '.repeat(60)}`] as const);
  writePackage(Object.fromEntries([...texts, ['copy.txt', texts[0]?.[1] ?? '']]));
  expect(new Set(collectDocuments([pinned], half).map(({ text }) => text)).size).toBe(20);
});

test('a package is in one half only', () => {
  writePackage({ 'one.md': 'The lid closes slowly. '.repeat(20) });
  const other = half === 'counted' ? 'calibrating' : 'counted';
  expect(collectDocuments([pinned], half)).toHaveLength(1);
  expect(collectDocuments([pinned], other)).toEqual([]);
});

test('the list names each package once, with a hash', () => {
  const names = readPackageList().map(({ registry, name }) => `${registry} ${name}`);
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(900);
});
