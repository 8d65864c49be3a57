// An MCP server in a few lines, because the SDK of servers cannot send a JSON text of its own: its tool `repeat` returns the
// text of its arguments as structured content. `node raw-server-main.ts` speaks stdio, with `http json` or `http events` HTTP.
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { takeMemberText } from '@millrace/contracts';
import { z } from 'zod';

const requestSchema = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.looseObject({ protocolVersion: z.string().optional() }).optional(),
});
const VERSION = '2025-06-18';

/** Returns undefined for a notification. */
function answer(line: string): string | undefined {
  const { id, method, params } = requestSchema.parse(JSON.parse(line));
  if (id === undefined) return undefined;
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`;
  if (method === 'initialize') {
    const result = {
      protocolVersion: params?.protocolVersion ?? VERSION,
      capabilities: { tools: {} },
      serverInfo: { name: 'raw', version: '1' },
    };
    return `${head}"result":${JSON.stringify(result)}}`;
  }
  if (method === 'tools/list') {
    const tools = [{ name: 'repeat', description: 'Repeats.', inputSchema: { type: 'object' } }];
    return `${head}"result":${JSON.stringify({ tools })}}`;
  }
  if (method !== 'tools/call') return `${head}"error":{"code":-32601,"message":"unknown"}}`;
  const own = takeMemberText(line, ['params', 'arguments'])?.text ?? '{}';
  const { given } = z.looseObject({ given: z.string().optional() }).parse(JSON.parse(own));
  return `${head}"result":{"content":[],"structuredContent": ${given ?? own} }}`;
}

const [kind, form] = process.argv.slice(2);
if (kind === 'http') {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.method !== 'POST') return response.writeHead(405).end();
      const answered = answer(body);
      if (answered === undefined) return response.writeHead(202).end();
      if (form === 'json') return response.writeHead(200, { 'content-type': 'application/json' }).end(answered);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return response.end(
        `event: message\nid: 1\n${answered
          .split('\n')
          .map((line) => `data: ${line}\n`)
          .join('')}\n`,
      );
    });
  });
  server.listen(0, '127.0.0.1', () => process.stdout.write(`listening ${Object(server.address()).port}\n`));
} else {
  // A reader of lines would end a line at U+2028, too.
  let rest = '';
  process.stdin.setEncoding('utf8').on('data', (part: string) => {
    const lines = `${rest}${part}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const answered = answer(line);
      if (answered !== undefined) process.stdout.write(`${answered.replaceAll('\n', ' ')}\n`);
    }
  });
}
