// Documentation and code that people wrote: the files of packages that the workspace has installed anyway, in the versions of pnpm-lock.yaml. Their licences
// (MIT, Apache-2.0, ISC, BSD) allow it. Nothing of them is kept but what it takes away from weights.
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

/** Of one file: what is longer is generated, as a rule. Characters. */
const MAX_FILE = 120_000;
/** A line that is longer was made by a program. */
const generated = /.{1000}/;

export type PackageText = { name: string; version: string; prose: string; code: string };

/** In the order of the names; of several versions the last. @throws where one is not installed */
export const packageTexts = (): PackageText[] => PACKAGES.map(packageText);

function packageText(name: string): PackageText {
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
    prose: textOf(
      files.filter((file) => file.endsWith('.md')),
      dir,
    ),
    code: textOf(
      files.filter((file) => !file.endsWith('.md')),
      dir,
    ),
  };
}

const textOf = (files: readonly string[], dir: string): string =>
  files
    .map((file) => readFileSync(join(dir, file), 'utf8'))
    .filter((text) => text.length <= MAX_FILE && !generated.test(text))
    .join('\n');
