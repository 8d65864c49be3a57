// Documentation and code of installed packages, in the versions of pnpm-lock.yaml. Their licences (MIT, Apache-2.0,
// ISC, BSD) permit it. The weights keep nothing of them except lower values.
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const STORE = resolve(import.meta.dirname, '../../../../node_modules/.pnpm');
export const PACKAGES = [
  'ai',
  '@ai-sdk+openai',
  '@ai-sdk+gateway',
  '@ai-sdk+provider-utils',
  '@nats-io+nats-core',
  '@nats-io+jetstream',
  'pino',
  'libphonenumber-js',
  'vite',
  'vitest',
  'ssh2',
  'ioredis',
  'glob',
  'fast-check',
  're2js',
  'smol-toml',
  'async',
  'undici',
  'yargs',
  'yargs-parser',
  'protobufjs',
  'minipass',
  'picomatch',
  'dockerode',
  'path-scurry',
  'tinybench',
  'debug',
  'magic-string',
  'gpt-tokenizer',
  'ajv',
  'eld',
  '@ai-sdk+provider',
  '@balena+dockerignore',
  '@js-sdsl+ordered-map',
  '@pkgjs+parseargs',
  '@types+node',
  '@vercel+oidc',
  'archiver',
  'buffer',
  'bl',
  'chai',
  'docker-compose',
  'event-target-shim',
  'expect-type',
  'fast-uri',
  'formatly',
  'hono',
  'knip',
  'lodash',
  'lru-cache',
  'minimatch',
  'nan',
  'oxc-resolver',
  'oxlint',
  'postcss',
  'proper-lockfile',
  'readable-stream',
  'retry',
  'rolldown',
  'safer-buffer',
  'source-map-js',
  'streamx',
  'tar-stream',
  'testcontainers',
  'tmp',
  'typescript',
  'undici-types',
  'unbash',
  'yaml',
  'zod',
] as const;

/** Maximum length of a file, in characters, because longer files are usually generated. */
const MAX_FILE = 120_000;
/** A longer line is generated. */
const generated = /.{1000}/;

export type PackageText = { name: string; version: string; prose: string; code: string };

/** Returns the texts in the order of the names; of several versions the last. @throws if a package is not installed */
export const readPackageTexts = (): PackageText[] => PACKAGES.map(readPackageText);

function readPackageText(name: string): PackageText {
  const found = readdirSync(STORE)
    .filter((entry) => entry.startsWith(`${name}@`))
    .toSorted();
  const entry = found.at(-1);
  if (entry === undefined) throw new Error(`${name} is not installed.`);
  const dir = join(STORE, entry, 'node_modules', name.replace('+', '/'));
  const files = globSync('**/*.{md,d.ts,js}', {
    cwd: dir,
    exclude: (path) => path.includes('node_modules'),
  }).toSorted();
  return {
    name: name.replace('+', '/'),
    version: entry.slice(name.length + 1).split('_')[0] ?? '',
    prose: readTexts(
      files.filter((file) => file.endsWith('.md')),
      dir,
    ),
    code: readTexts(
      files.filter((file) => !file.endsWith('.md')),
      dir,
    ),
  };
}

const readTexts = (files: readonly string[], dir: string): string =>
  files
    .map((file) => readFileSync(join(dir, file), 'utf8'))
    .filter((text) => text.length <= MAX_FILE && !generated.test(text))
    .join('\n');
