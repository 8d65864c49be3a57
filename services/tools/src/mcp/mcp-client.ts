// Creates the client of an MCP server. It offers a server nothing: no sampling, no questions to a user, no roots.
import { Client, type Transport } from '@modelcontextprotocol/client';
import { jsonObjectSchema } from '@millrace/contracts';
import type { LiveTool } from './tool-definition-hash.ts';

const CONNECT_TIMEOUT_MS = 15_000;
const LIST_TIMEOUT_MS = 10_000;
const MAX_LISTED = 1_000;

/** Speaks the protocol of 2026, and that of 2025 with servers that know no other. @throws errors of the client */
export async function connectClient(transport: Transport): Promise<Client> {
  const client = new Client(
    { name: 'millrace', version: '0.1.0' },
    { versionNegotiation: { mode: 'auto' }, inputRequired: { autoFulfill: false } },
  );
  await client.connect(transport, { timeout: CONNECT_TIMEOUT_MS });
  return client;
}

/**
 * Lists the tools of a server. Without the cache of the client, which would compile the output schemas of a stranger to code.
 * @throws errors of the client; an error for more than MAX_LISTED tools, or a schema that is no JSON
 */
export async function listLiveTools(client: Client): Promise<LiveTool[]> {
  const { tools } = await client.listTools({}, { timeout: LIST_TIMEOUT_MS, cacheMode: 'bypass' });
  if (tools.length > MAX_LISTED) throw new Error(`The server has more than ${MAX_LISTED} tools.`);
  return tools.map(({ name, description = '', inputSchema }) => {
    // The dialect is always that of 2020-12: validators of agents know no other.
    const { $schema: _dialect, ...schema } = jsonObjectSchema.parse(inputSchema);
    return { name, description, inputSchema: schema };
  });
}
