// Reads the files of the console's build: the page, and files below assets by their exact name.
import { readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const NAME = /^[\w-][\w.-]{0,200}$/;
/** Encodings of which the build stores a copy, the smallest first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

export type SiteFile = { body: Uint8Array; type: string; encoding?: string };

/** Returns the page with its placeholders for the nonce, or undefined without a build. */
export const readPage = (folder: string): Promise<string | undefined> =>
  readFile(join(folder, 'index.html'), 'utf8').catch(() => undefined);

/** @param accepted header Accept-Encoding of the request */
export async function readAsset(folder: string, name: string, accepted: string): Promise<SiteFile | undefined> {
  const type = TYPES[extname(name)];
  if (type === undefined || !NAME.test(name)) return undefined;
  const path = join(folder, 'assets', name);
  for (const [encoding, suffix] of ENCODINGS) {
    if (!new RegExp(`\\b${encoding}\\b`).test(accepted) || !(await isFile(path + suffix))) continue;
    const body = await readFile(path + suffix).catch(() => undefined);
    if (body) return { body, type, encoding };
  }
  const body = (await isFile(path)) ? await readFile(path).catch(() => undefined) : undefined;
  return body && { body, type };
}

const isFile = async (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
