// Makes tools of the accepted tools of MCP servers. The model reads the accepted definition, never that of the server.
import { jsonObjectSchema, MillraceError, writeWithText } from '@millrace/contracts';
import type { Tool } from '@millrace/processor';
import type { Resources, ServiceContext } from '@millrace/service';
import { z } from 'zod';
import { buildToolName, readMcpFile, type McpServerConfig } from './mcp-file.ts';
import { openMcpServer, type McpServer, type McpServerParts } from './mcp-server.ts';
import { openTransport } from './open-transport.ts';
import { readResult } from './read-result.ts';

export type McpToolsParts = Pick<McpServerParts, 'log' | 'checkMs'> & {
  file: string;
  env: Readonly<Record<string, string | undefined>>;
  resources: Pick<Resources, 'add'>;
  watchParts: ServiceContext<object>['watchParts'];
};

/** Connects to the servers of the file in the background. @throws config-invalid */
export async function openMcpTools({ file, env, log, resources, watchParts, checkMs }: McpToolsParts): Promise<Tool[]> {
  const { folder, servers, problems } = await readMcpFile(file);
  for (const part of problems) log.error(part, 'a part of MCP_SERVERS is left out');
  watchParts(() => problems);
  return [...servers].flatMap(([name, config]) => {
    const onLine = (line: string) => log.info({ server: name, line }, 'stderr of an MCP server');
    const server = openMcpServer({
      name,
      tools: config.tools,
      open: () => openTransport(config, { folder, env, onLine }),
      log,
      ...(checkMs !== undefined && { checkMs }),
    });
    resources.add(`MCP server ${name}`, () => server.close());
    watchParts(() => server.listProblems());
    return createTools(name, config, server);
  });
}

/** The orchestrator and the server check the arguments by the accepted schema. */
const ANY_ARGUMENTS = z.looseObject({});

const createTools = (name: string, { tools }: McpServerConfig, server: McpServer): Tool[] =>
  Object.entries(tools).map(([tool, { description, inputSchema, as, effect, idempotent, timeoutMs }]) => ({
    name: buildToolName(name, tool, as),
    description,
    inputSchema: ANY_ARGUMENTS,
    advertisedSchema: inputSchema,
    effect,
    idempotent,
    timeoutMs,
    async execute(args, { abortSignal: signal, argsText }) {
      const parsed = jsonObjectSchema.safeParse(args);
      if (!parsed.success)
        throw new MillraceError('tool-arguments-invalid', `The arguments of ${name}_${as ?? tool} are no object.`);
      const text = writeWithText(parsed.data, argsText, 'args');
      return readResult(await server.call(tool, text, { signal, timeoutMs }));
    },
  }));
