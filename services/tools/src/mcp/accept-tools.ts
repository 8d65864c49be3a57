// Compares a file of MCP_SERVERS with its servers, and writes the definitions of their tools into it when an operator
// accepts them.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { chooseAlias } from './choose-alias.ts';
import { connectClient, listLiveTools } from './mcp-client.ts';
import { hashDefinition, type LiveTool } from './tool-definition-hash.ts';
import { buildToolName, findSchemaProblem, type McpServerConfig } from './mcp-file.ts';
import { openTransport } from './open-transport.ts';

export type ToolChange = {
  server: string;
  name: string;
  /** refused: its schema is not valid, so that it cannot be accepted. */
  state: 'accepted' | 'changed' | 'gone' | 'new' | 'refused';
  /** Of a refused tool. */
  problem?: string;
  /** Absent: the server does not have the tool. */
  live?: LiveTool;
};
type McpPlace = { folder: string; env: Readonly<Record<string, string | undefined>> };

/** @throws errors of the connection */
export async function listChanges(server: string, config: McpServerConfig, place: McpPlace): Promise<ToolChange[]> {
  const transport = await openTransport(config, { ...place, onLine: () => undefined });
  try {
    const client = await connectClient(transport);
    const live = await listLiveTools(client);
    const there = live.map((tool): ToolChange => {
      const pin = Object.hasOwn(config.tools, tool.name) ? config.tools[tool.name]?.pin : undefined;
      const problem = findSchemaProblem(tool.inputSchema);
      if (problem !== undefined) return { server, name: tool.name, state: 'refused', live: tool, problem };
      const state = pin === undefined ? 'new' : pin === hashDefinition(tool) ? 'accepted' : 'changed';
      return { server, name: tool.name, state, live: tool };
    });
    const missing = Object.keys(config.tools).filter((name) => live.every((tool) => tool.name !== name));
    return [...there, ...missing.map((name): ToolChange => ({ server, name, state: 'gone' }))];
  } finally {
    await transport.close();
  }
}

type RawFile = { servers: Record<string, { tools?: Record<string, { as?: string }> }> };

/**
 * Replaces definitions and pins, and keeps the other members: name, effect and limits are an operator's. A tool whose name is
 * no token gets an alias. Refused tools stay as they are.
 */
export async function writeAccepted(path: string, changes: readonly ToolChange[]): Promise<void> {
  const file: RawFile = JSON.parse(await readFile(path, 'utf8'));
  for (const { server, name, state, live } of changes) {
    const config = file.servers[server];
    if (!config || state === 'refused') continue;
    const { [name]: former, ...others } = config.tools ?? {};
    const taken = new Set(Object.entries(others).map(([tool, { as }]) => buildToolName(server, tool, as)));
    const as = former?.as ?? chooseAlias(server, name, taken);
    const accepted = live && {
      ...former,
      ...(as !== undefined && { as }),
      pin: hashDefinition(live),
      description: live.description,
      inputSchema: live.inputSchema,
    };
    config.tools = { ...others, ...(accepted && { [name]: accepted }) };
  }
  const complete = `${path}.${process.pid}`;
  await writeFile(complete, `${JSON.stringify(file, undefined, 2)}\n`);
  await rename(complete, path);
}

/** Whole, because the end of a text counts as much as its start. Invisible characters are shown by their code. */
const showAll = (text: string): string =>
  text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );

/** Returns the lines that an operator reads before the decision. */
export function describeChange({ server, name, state, live, problem }: ToolChange): string[] {
  const head = `${state.padEnd(8)} ${server}_${showAll(name)}`;
  if (!live) return [head];
  if (problem !== undefined) return [`${head} ${showAll(problem)}`];
  const details = state === 'accepted' ? [] : [live.description, JSON.stringify(live.inputSchema)];
  return [`${head} ${hashDefinition(live)}`, ...details.map((line) => `         ${showAll(line)}`)];
}
