import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { providerEnvironmentSchema, readProviders } from './provider-config.ts';

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'providers-'))));
afterEach(() => rm(folder, { recursive: true }));

const read = (env: Record<string, string>) => readProviders(providerEnvironmentSchema.parse(env));
const readFile = async (text: string, env: Record<string, string> = {}) => {
  const path = join(folder, 'providers.yaml');
  await writeFile(path, text);
  return read({ ...env, PROVIDERS: path });
};

describe('providers of the environment', () => {
  test('Each key alone defines its provider', async () => {
    expect([...(await read({})).keys()]).toEqual([]);
    expect([...(await read({ OPENAI_API_KEY: 'sk-1' })).keys()]).toEqual(['openai', 'openai-chat']);
    expect(await read({ ANTHROPIC_API_KEY: 'sk-2' })).toMatchObject(
      new Map([['anthropic', { kind: 'anthropic', apiKey: 'sk-2' }]]),
    );
    expect(await read({ GOOGLE_GENERATIVE_AI_API_KEY: 'sk-3', GOOGLE_BASE_URL: 'http://g/v1' })).toMatchObject(
      new Map([['google', { kind: 'google', apiKey: 'sk-3', baseUrl: 'http://g/v1' }]]),
    );
  });

  test('A server without a key is a provider of OpenAI’s two protocols', async () => {
    const providers = await read({ OPENAI_BASE_URL: 'http://local/v1' });
    expect(providers.get('openai-chat')).toMatchObject({ kind: 'openai-compatible', baseUrl: 'http://local/v1' });
  });
});

describe('a file of providers', () => {
  test('The file adds providers and replaces those of the environment; keys are variables or files', async () => {
    await writeFile(join(folder, 'key'), 'sk-file\n');
    const providers = await readFile(
      [
        'providers:',
        '  groq: { kind: openai-compatible, baseUrl: https://groq.test/v1, apiKey: "${GROQ_KEY}" }',
        '  anthropic: { kind: anthropic, apiKeyFile: key, headers: { x-team: a }, promptCache: false }',
      ].join('\n'),
      { GROQ_KEY: 'sk-groq', ANTHROPIC_API_KEY: 'sk-env' },
    );
    expect(providers.get('groq')).toMatchObject({ apiKey: 'sk-groq', promptCache: true });
    expect(providers.get('anthropic')).toEqual({
      kind: 'anthropic',
      apiKey: 'sk-file',
      headers: { 'x-team': 'a' },
      promptCache: false,
    });
  });

  test.each([
    [
      'a missing variable',
      'providers: { a: { kind: anthropic, apiKey: "${NO_KEY}" } }',
      /providers\.a\.apiKey: .*NO_KEY/,
    ],
    ['an unknown kind', 'providers: { a: { kind: cohere } }', /providers\.a\.kind/],
    ['an unknown member', 'providers: { a: { kind: anthropic, key: x } }', /providers\.a\.key/],
    [
      'a compatible server without an address',
      'providers: { a: { kind: openai-compatible } }',
      /providers\.a\.baseUrl/,
    ],
    ['two keys', 'providers: { a: { kind: google, apiKey: x, apiKeyFile: y } }', /providers\.a\.apiKeyFile/],
    ['a name with a slash', 'providers: { a/b: { kind: google } }', /providers/],
    ['no YAML', 'providers: {{', /neither YAML nor JSON/],
  ])('%s is refused by name, and the file is not quoted', async (_title, text, message) => {
    const secret = 'sk-secret-0123456789';
    const error: unknown = await readFile(`# ${secret}\n${text}`).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'config-invalid', message: expect.stringMatching(message) });
    expect(String(error)).not.toContain(secret);
  });

  test('A file that does not exist, or that is too large, is refused', async () => {
    await expect(read({ PROVIDERS: join(folder, 'none') })).rejects.toMatchObject({
      message: expect.stringContaining('ENOENT'),
    });
    await expect(readFile(`#${'x'.repeat(1024 * 1024)}`)).rejects.toMatchObject({
      message: expect.stringContaining('larger'),
    });
    await expect(readFile('providers: { a: { kind: google, apiKeyFile: none } }')).rejects.toMatchObject({
      code: 'config-invalid',
    });
  });
});
