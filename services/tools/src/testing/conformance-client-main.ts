// A program for the conformance suite of MCP: `node conformance-client-main.ts URL` connects as the service does, and calls
// each tool once.
import { connectClient, listLiveTools } from '../mcp/mcp-client.ts';
import { openTransport } from '../mcp/open-transport.ts';

const url = process.argv[2] ?? '';
const config = { url, headers: {}, tools: {} };
const transport = await openTransport(config, { folder: '.', env: process.env, onLine: () => undefined });
const client = await connectClient(transport);
for (const { name } of await listLiveTools(client)) await client.callTool({ name, arguments: { a: 5, b: 3 } });
await client.close();
