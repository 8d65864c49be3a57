// Reads the file of MCP_SERVERS: the servers, and the definitions of their tools that an operator has accepted. The file
// holds no secret: headers and variables with secrets name a file or a variable of this process.
import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  MillraceError,
  isToken,
  jsonSchemaSchema,
  listIssues,
  tokenSchema,
  toolEffectSchema,
} from '@millrace/contracts';
import { z } from 'zod';
import { hashDefinition } from './tool-definition-hash.ts';

const MAX_FILE_BYTES = 8 * 1024 * 1024;
const MAX_SERVERS = 32;
const MAX_TOOLS = 128;
const MAX_DESCRIPTION = 16_384;

const secretSchema = z.union([
  z.strictObject({ file: z.string().min(1).describe('path, relative to the file of MCP_SERVERS') }),
  z.strictObject({ variable: z.string().min(1).describe('environment variable of the service tools') }),
]);
export type Secret = z.output<typeof secretSchema>;

const pinnedToolSchema = z.strictObject({
  pin: z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: and 64 hexadecimal digits'),
  description: z.string().max(MAX_DESCRIPTION),
  inputSchema: jsonSchemaSchema,
  as: tokenSchema.optional().describe('name after the prefix; default: the name of the tool'),
  effect: toolEffectSchema.default('send'),
  idempotent: z.boolean().default(false),
  timeoutMs: z.int().min(100).max(600_000).default(30_000),
});
export type PinnedTool = z.output<typeof pinnedToolSchema>;

const tools = z
  .record(z.string().min(1).max(128), pinnedToolSchema)
  .refine((all) => Object.keys(all).length <= MAX_TOOLS, `has more than ${MAX_TOOLS} tools`)
  .default({});
const processSchema = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).max(100).default([]),
  cwd: z.string().optional().describe('relative to the file of MCP_SERVERS'),
  env: z.record(z.string().min(1), z.union([z.string(), secretSchema])).default({}),
  tools,
});
const httpSchema = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .refine((url) => new URL(url).password === '' && new URL(url).username === '', 'must not contain credentials'),
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]+$/), secretSchema).default({}),
  tools,
});
export type ProcessServer = z.output<typeof processSchema>;
export type McpHttpServer = z.output<typeof httpSchema>;
export type McpServerConfig = ProcessServer | McpHttpServer;

const fileSchema = z.strictObject({
  servers: z
    .record(
      z.string().regex(/^[A-Za-z0-9-]{1,32}$/, 'must be 1 to 32 letters, digits and -'),
      z.union([processSchema, httpSchema]),
    )
    .refine((all) => Object.keys(all).length <= MAX_SERVERS, `has more than ${MAX_SERVERS} servers`),
});
export type McpFile = { folder: string; servers: ReadonlyMap<string, McpServerConfig> };

/**
 * @param options `isRepair`: accepts definitions that differ from their pins, because they are accepted again
 * @throws config-invalid, with all problems and without a quotation of the file
 */
export async function readMcpFile(path: string, { isRepair = false } = {}): Promise<McpFile> {
  const parsed = fileSchema.safeParse(await readJson(path));
  if (!parsed.success) {
    const problems = listIssues(parsed.error).map(({ path: at, message }) => `${at || 'file'}: ${message}`);
    throw createFileError(path, problems.slice(0, 20).join('; '));
  }
  const servers = new Map(Object.entries(parsed.data.servers));
  const problems = isRepair ? [] : [...servers].flatMap(([name, { tools: own }]) => findToolProblems(name, own));
  if (problems.length > 0) throw createFileError(path, problems.join('; '));
  return { folder: dirname(resolve(path)), servers };
}

/** Name of a tool for agents: the name of its server, `_` and its own. */
export const buildToolName = (server: string, tool: string, as = tool): string => `${server}_${as}`;

/** An edited definition is no accepted one. */
function findToolProblems(server: string, own: Readonly<Record<string, PinnedTool>>): string[] {
  const seen = new Set<string>();
  return Object.entries(own).flatMap(([name, { pin, description, inputSchema, as }]) => {
    const shown = buildToolName(server, name, as);
    const problems: string[] = [];
    if (!isToken(shown))
      problems.push(`servers.${server}.tools.${name}: "${shown}" is no valid name of a tool; set "as"`);
    if (seen.has(shown)) problems.push(`servers.${server}.tools.${name}: a second tool has the name ${shown}`);
    seen.add(shown);
    if (hashDefinition({ name, description, inputSchema }) !== pin)
      problems.push(`servers.${server}.tools.${name}: the definition is not that of its pin; accept it again`);
    return problems;
  });
}

async function readJson(path: string): Promise<unknown> {
  try {
    if ((await stat(path)).size > MAX_FILE_BYTES) throw createFileError(path, `has more than ${MAX_FILE_BYTES} bytes`);
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (MillraceError.isInstance(error)) throw error;
    throw createFileError(path, error instanceof SyntaxError ? 'is not JSON' : 'cannot be read');
  }
}

const createFileError = (path: string, problem: string): MillraceError =>
  new MillraceError('config-invalid', `The file ${path} of MCP_SERVERS: ${problem}.`, {
    path: 'MCP_SERVERS',
    remedy: 'Correct the file, or accept the definitions of its tools: npm run -s mcp -- FILE --accept.',
  });
