// The compressed size that a browser loads: scripts and styles of the first page, and of the chat.
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { buildConsole } from './build-console.ts';

const KB = 1_000;
const FIRST_ROUTE = 180 * KB;
const CHAT = 270 * KB;
const BUILD_MS = 120_000;

test(
  'The first page has at most 180 kB, and the chat 270 kB',
  async ({ skip }) => {
    const folder = await buildConsole();
    if (folder === undefined) return skip('the console cannot be built');
    const assets = join(folder, 'assets');
    const names = await readdir(assets);
    const find = (name: string) => names.find((one) => one.startsWith(name) && one.endsWith('.js')) ?? '';
    const page = await readFile(join(folder, 'index.html'), 'utf8');
    const first = new Set([...page.matchAll(/assets\/([\w.-]+\.(?:js|css))/g)].map(([, name = '']) => name));
    const chat = new Set([...first, ...(await listLoaded(assets, find('chat-page'), names))]);
    const sum = async (loaded: ReadonlySet<string>) => {
      const sizes = await Promise.all(
        [...loaded].map(async (name) => gzipSync(await readFile(join(assets, name))).byteLength),
      );
      return sizes.reduce((total, size) => total + size, gzipSync(page).byteLength);
    };
    process.stdout.write(`The first page has ${await sum(first)} bytes, the chat ${await sum(chat)}.\n`);
    expect(await sum(first)).toBeLessThan(FIRST_ROUTE);
    expect(await sum(chat)).toBeLessThan(CHAT);
    expect(await sum(chat)).toBeGreaterThan(await sum(first));
  },
  BUILD_MS,
);

/** Returns the chunk, the chunks that it imports, and the styles of their names. */
async function listLoaded(assets: string, entry: string, names: readonly string[]): Promise<Set<string>> {
  const loaded = new Set<string>();
  const visit = async (name: string): Promise<void> => {
    if (loaded.has(name)) return;
    loaded.add(name);
    const text = await readFile(join(assets, name), 'utf8');
    const imports = [...text.matchAll(/from"\.\/([\w.-]+\.js)"|import"\.\/([\w.-]+\.js)"/g)];
    for (const [, from, bare] of imports) await visit(from ?? bare ?? '');
  };
  await visit(entry);
  for (const style of ['chat-', 'timeline-']) {
    const found = names.find((name) => name.startsWith(style) && name.endsWith('.css'));
    if (found !== undefined) loaded.add(found);
  }
  return loaded;
}
