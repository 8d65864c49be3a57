// Reads the providers of models from the environment and from a file. Agents name a provider; its address and its key are here only, and
// never leave the process. docs/models.md
import { listIssues, MillraceError, substituteEnv, type Issue, type JsonValue } from '@millrace/contracts';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const MAX_PROVIDERS = 100;
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_KEY_BYTES = 64 * 1024;

/** openai: the Responses API. openai-compatible: chat completions, as most servers implement them. */
export const providerKindSchema = z.enum(['openai', 'openai-compatible', 'anthropic', 'google']);
export type ProviderKind = z.infer<typeof providerKindSchema>;

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'expected the name of a header');
const providerSchema = z
  .strictObject({
    kind: providerKindSchema,
    baseUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('Default: the public address of the kind.'),
    apiKey: z.string().min(1).optional(),
    apiKeyFile: z.string().min(1).optional().describe('File with the key, relative to this file.'),
    headers: z.record(headerName, z.string().regex(/^[\t\x20-\x7e]*$/, 'expected printable ASCII')).default({}),
    promptCache: z
      .boolean()
      .default(true)
      .describe('Marks the end of the instructions and of the history as cache points, if the provider has them.'),
  })
  .refine(({ kind, baseUrl }) => kind !== 'openai-compatible' || baseUrl !== undefined, {
    path: ['baseUrl'],
    message: 'is required for the kind openai-compatible',
  })
  .refine(({ apiKey, apiKeyFile }) => apiKey === undefined || apiKeyFile === undefined, {
    path: ['apiKeyFile'],
    message: 'must not be set together with apiKey',
  });
/** `apiKey`: absent if the server needs none. */
export type Provider = Omit<z.output<typeof providerSchema>, 'apiKeyFile'>;
/** By name. */
export type Providers = ReadonlyMap<string, Provider>;

const providerName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'expected lower-case letters, digits and -');
const fileSchema = z.strictObject({
  providers: z
    .record(providerName, providerSchema)
    .refine((all) => Object.keys(all).length <= MAX_PROVIDERS, { message: `at most ${MAX_PROVIDERS} providers` }),
});

/** Variables of a service that calls models. The other variables remain readable for references in the file. */
const variablesSchema = z.looseObject({
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: z.url().optional().describe('Base URL of an OpenAI-compatible server. Default: OpenAI.'),
  ANTHROPIC_API_KEY: z.string().optional(),
  ANTHROPIC_BASE_URL: z.url().optional(),
  GOOGLE_GENERATIVE_AI_API_KEY: z.string().optional(),
  GOOGLE_BASE_URL: z.url().optional(),
  PROVIDERS: z.string().optional().describe('Path of the YAML or JSON file that defines providers.'),
});
/** One member, so that schemas of other variables can be joined with this one. */
export const providerEnvironmentSchema = variablesSchema.transform((providerEnv) => ({ providerEnv }));
type ProviderVariables = z.output<typeof variablesSchema>;

export type KeyedServer = { apiKey?: string | undefined; baseUrl?: string | undefined };

/** Returns the providers `openai` and `openai-chat` of one server, or none without a key and an address. */
export function listOpenAIProviders({ apiKey, baseUrl }: KeyedServer): [string, Provider][] {
  if (apiKey === undefined && baseUrl === undefined) return [];
  const server = { apiKey, baseUrl, headers: {}, promptCache: true };
  return [
    ['openai', { kind: 'openai', ...server }],
    ['openai-chat', { kind: 'openai-compatible', ...server, baseUrl: baseUrl ?? OPENAI_BASE_URL }],
  ];
}

/** Default base URL of OpenAI's client. Source: OpenAI's API reference. */
export const OPENAI_BASE_URL = 'https://api.openai.com/v1';

/** A provider of the file replaces that of the same name. @throws config-invalid with every problem of the file */
export async function readProviders({ providerEnv: env }: { providerEnv: ProviderVariables }): Promise<Providers> {
  const { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, GOOGLE_GENERATIVE_AI_API_KEY, GOOGLE_BASE_URL } = env;
  const makeDefault = (name: ProviderKind, { apiKey, baseUrl }: KeyedServer): [string, Provider][] =>
    apiKey === undefined ? [] : [[name, { kind: name, apiKey, baseUrl, headers: {}, promptCache: true }]];
  return new Map([
    ...listOpenAIProviders({ apiKey: env.OPENAI_API_KEY, baseUrl: env.OPENAI_BASE_URL }),
    ...makeDefault('anthropic', { apiKey: ANTHROPIC_API_KEY, baseUrl: ANTHROPIC_BASE_URL }),
    ...makeDefault('google', { apiKey: GOOGLE_GENERATIVE_AI_API_KEY, baseUrl: GOOGLE_BASE_URL }),
    ...(env.PROVIDERS === undefined ? [] : await readProviderFile(resolve(env.PROVIDERS), env)),
  ]);
}

async function readProviderFile(file: string, env: ProviderVariables): Promise<[string, Provider][]> {
  const variables = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
  const { value, issues } = substituteEnv(
    parseFile(file, await readText(file, MAX_FILE_BYTES)),
    variables,
    'config-invalid',
  );
  const parsed = fileSchema.safeParse(value);
  const problems = [...issues, ...(parsed.success ? [] : listIssues(parsed.error, 'config-invalid'))];
  if (!parsed.success || problems.length > 0) throw createFileError(file, problems);
  return Promise.all(
    Object.entries(parsed.data.providers).map(
      async ([name, { apiKeyFile, ...provider }]): Promise<[string, Provider]> => {
        if (apiKeyFile === undefined) return [name, provider];
        const apiKey = (await readText(resolve(dirname(file), apiKeyFile), MAX_KEY_BYTES)).trim();
        return [name, { ...provider, apiKey }];
      },
    ),
  );
}

/** Never quotes the file, which may hold keys. */
function parseFile(file: string, text: string): JsonValue {
  try {
    return parse(text);
  } catch {
    throw createFileError(file, [{ code: 'config-invalid', message: 'The file is neither YAML nor JSON.' }]);
  }
}

async function readText(file: string, maxBytes: number): Promise<string> {
  try {
    const text = await readFile(file);
    if (text.length <= maxBytes) return text.toString();
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'it cannot be read';
    throw createFileError(file, [{ code: 'config-invalid', message: `The file cannot be read (${reason}).` }]);
  }
  throw createFileError(file, [{ code: 'config-invalid', message: `The file is larger than ${maxBytes} bytes.` }]);
}

function createFileError(file: string, issues: readonly Issue[]): MillraceError {
  const lines = issues.map(({ path, message }) => (path === undefined ? message : `${path}: ${message}`));
  return new MillraceError('config-invalid', `${file} does not define providers. ${lines.join('; ')}`, {
    issues: [...issues],
    remedy: 'Correct the file, or remove PROVIDERS. docs/models.md shows one.',
  });
}
