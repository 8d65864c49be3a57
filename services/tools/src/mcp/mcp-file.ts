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
  type JsonSchema,
  type PartProblem,
} from '@millrace/contracts';
import { assertJsonSchema } from '@millrace/models/json-schema';
import { z } from 'zod';
import { hashDefinition } from './tool-definition-hash.ts';

const MAX_FILE_BYTES = 8 * 1024 * 1024;
const MAX_SERVERS = 32;
const MAX_TOOLS = 256;
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

const serverSchema = z.union([processSchema, httpSchema]);
const serversSchema = z
  .record(z.string().regex(/^[A-Za-z0-9-]{1,32}$/, 'must be 1 to 32 letters, digits and -'), z.json())
  .refine((all) => Object.keys(all).length <= MAX_SERVERS, `has more than ${MAX_SERVERS} servers`);
const fileSchema = z.strictObject({ servers: serversSchema });
/** `problems`: of servers and tools that are left out, because no run may use them until an operator has mended them. */
export type McpFile = { folder: string; servers: ReadonlyMap<string, McpServerConfig>; problems: PartProblem[] };

/**
 * Leaves broken servers and tools out. No problem quotes the file.
 * @param options `isRepair`: accepts definitions that differ from their pins, because they are accepted again
 * @throws config-invalid for a file that has no servers; for a broken server, too, if `isRepair`
 */
export async function readMcpFile(path: string, { isRepair = false } = {}): Promise<McpFile> {
  const file = fileSchema.safeParse(await readJson(path));
  if (!file.success) throw createFileError(path, describeIssues('', file.error));
  const servers = new Map<string, McpServerConfig>();
  const problems: PartProblem[] = [];
  for (const [name, raw] of Object.entries(file.data.servers)) {
    const parsed = serverSchema.safeParse(raw);
    if (parsed.success) {
      servers.set(name, parsed.data);
      if (!isRepair) problems.push(...leaveBrokenOut(name, parsed.data));
      continue;
    }
    const problem = describeIssues(`.servers.${name}`, parsed.error);
    if (isRepair) throw createFileError(path, problem);
    problems.push({ name: `MCP server ${name}`, problem });
  }
  return { folder: dirname(resolve(path)), servers, problems };
}

const describeIssues = (where: string, error: z.ZodError): string =>
  listIssues(error)
    .slice(0, 20)
    .map(({ path, message }) => `${`${where}.${path ?? ''}`.replace(/^\.|\.$/g, '') || 'file'}: ${message}`)
    .join('; ');

/** Name of a tool for agents: the name of its server, `_` and its own. */
export const buildToolName = (server: string, tool: string, as = tool): string => `${server}_${as}`;

/** Removes the tools that cannot be served, and returns their problems: the others work. */
function leaveBrokenOut(server: string, config: McpServerConfig): PartProblem[] {
  const seen = new Set<string>();
  return Object.entries(config.tools).flatMap(([tool, pinned]) => {
    const name = buildToolName(server, tool, pinned.as);
    const problem = seen.has(name) ? 'a second tool has this name; set "as"' : findToolProblem(tool, name, pinned);
    seen.add(name);
    if (problem === undefined) return [];
    delete config.tools[tool];
    return [{ name, problem }];
  });
}

/** An edited definition is no accepted one. */
function findToolProblem(tool: string, name: string, pinned: PinnedTool): string | undefined {
  const { pin, description, inputSchema } = pinned;
  if (!isToken(name)) return 'no agent can use this name; set "as", or accept the tool again';
  if (hashDefinition({ name: tool, description, inputSchema }) !== pin)
    return 'the definition is not that of its pin; accept it again';
  return findSchemaProblem(inputSchema);
}

/** Returns the place and the problem: a provider rejects each request that has a tool with such a schema. */
export function findSchemaProblem(schema: JsonSchema): string | undefined {
  try {
    assertJsonSchema(schema);
    return undefined;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    return `its schema is not valid: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
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
