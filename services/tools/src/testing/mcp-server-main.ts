// An MCP server for tests: `node mcp-server-main.ts` speaks stdio, `node mcp-server-main.ts http PORT` HTTP, with a token if
// TOKEN is set. A file that CONTROL names changes it: it contains the description of `echo`. ODD adds a tool whose name is no
// token, and one with a schema of no dialect.
import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const { CONTROL, GIVEN = '', ODD, TOKEN } = process.env;
const readDescription = (): string => (CONTROL === undefined ? 'Repeats a text.' : readFileSync(CONTROL, 'utf8'));
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });

function createServer(): McpServer {
  const server = new McpServer({ name: 'tests', version: '1.0.0' });
  const echo = { description: readDescription(), inputSchema: z.object({ text: z.string() }) };
  server.registerTool('echo', echo, async ({ text: said }) => text(said));
  server.registerTool('fails', { description: 'Fails.' }, async () => ({ ...text('no such page'), isError: true }));
  server.registerTool('picture', { description: 'Returns an image.' }, async () => ({
    content: [
      { type: 'text', text: 'a cat' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'notes://1', text: 'a note' } },
      { type: 'resource_link', uri: 'notes://2', name: 'another' },
    ],
  }));
  server.registerTool('large', { description: 'Returns a long text.' }, async () => text('x'.repeat(1_000_000)));
  server.registerTool('endless', { description: 'Returns more than a client reads.' }, async () =>
    text('x'.repeat(20_000_000)),
  );
  server.registerTool('sleeps', { description: 'Never answers.' }, () => new Promise(() => undefined));
  server.registerTool('given', { description: 'Returns a variable.' }, async () =>
    text(`${GIVEN} ${process.env['NATS_URL'] ?? 'none'}`),
  );
  server.registerTool('exits', { description: 'Ends the process.' }, () => process.exit(1));
  if (ODD !== undefined) addOddTools(server);
  return server;
}

function addOddTools(server: McpServer): void {
  const name = 'calendar.respondToEvent';
  server.registerTool(name, { description: 'Answers an invitation.' }, async () => text('accepted'));
  const object = 'object' as const;
  const city = { type: object, properties: { city: { type: null } } };
  const listed = [
    { name, description: 'Answers an invitation.', inputSchema: { type: object } },
    { name: 'broken', description: 'Has a broken schema.', inputSchema: city },
  ];
  server.server.setRequestHandler('tools/list', () => ({ tools: listed }));
}

const [kind, port] = process.argv.slice(2);
if (kind === 'http') {
  const handler = createMcpHandler(createServer);
  const fetch = (request: Request) =>
    TOKEN === undefined || request.headers.get('authorization') === `Bearer ${TOKEN}`
      ? handler.fetch(request)
      : new Response('refused', { status: 401 });
  serve({ fetch, port: Number(port), hostname: '127.0.0.1' }, ({ port: own }) =>
    process.stdout.write(`listening ${own}\n`),
  );
} else serveStdio(createServer);
