// Opens the transport to a server of MCP: a process of its own, or streamable HTTP. Both are bounded, because the server
// is not one of ours.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { StreamableHTTPClientTransport, type FetchLike, type Transport } from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { MillraceError } from '@millrace/contracts';
import { createEventKeeper, createKeepingProcess, keepContent, writeArguments } from './kept-content.ts';
import type { McpHttpServer, McpServerConfig, ProcessServer, Secret } from './mcp-file.ts';

/** One message of a process, and one answer over HTTP. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
const MAX_STREAM_BYTES = 64 * 1024 * 1024;
const MAX_LINE = 500;

export type TransportParts = {
  /** Folder of the file of MCP_SERVERS. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Called with each line that a process writes to its stderr. */
  onLine: (line: string) => void;
};

/** @throws config-invalid if a secret cannot be read: a later call may succeed */
export function openTransport(config: McpServerConfig, parts: TransportParts): Promise<Transport> {
  return 'url' in config ? openHttp(config, parts) : openProcess(config, parts);
}

async function openProcess({ command, args, cwd, env }: ProcessServer, parts: TransportParts): Promise<Transport> {
  const own = Object.entries(env).map(async ([name, value]) => [
    name,
    typeof value === 'string' ? value : await readSecret(value, parts),
  ]);
  const transport = createKeepingProcess({
    command,
    args,
    cwd: cwd === undefined ? parts.folder : resolve(parts.folder, cwd),
    // No variable of this process except PATH, HOME and the like: its environment holds secrets.
    env: { ...getDefaultEnvironment(), ...Object.fromEntries(await Promise.all(own)) },
    stderr: 'pipe',
    maxBufferSize: MAX_MESSAGE_BYTES,
  });
  transport.stderr?.on('data', (data: Buffer) => {
    for (const line of data.toString().split('\n', 10)) if (line.trim() !== '') parts.onLine(line.slice(0, MAX_LINE));
  });
  return transport;
}

async function openHttp({ url, headers }: McpHttpServer, parts: TransportParts): Promise<Transport> {
  const own = Object.entries(headers).map(async ([name, value]) => [name, await readSecret(value, parts)]);
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: Object.fromEntries(await Promise.all(own)) },
    fetch: fetchBounded,
  });
}

/** @throws config-invalid with the name of the file or variable */
async function readSecret(secret: Secret, { folder, env }: TransportParts): Promise<string> {
  const where = 'file' in secret ? resolve(folder, secret.file) : secret.variable;
  const text = 'file' in secret ? await readFile(where, 'utf8').catch(() => undefined) : env[where];
  if (text !== undefined && text.trim() !== '') return text.trim();
  throw new MillraceError('config-invalid', `A secret of an MCP server is missing: ${where}.`, {
    path: 'MCP_SERVERS',
    remedy: 'Create the file, or set the variable, with the secret as its only content.',
  });
}

/** Sends the text of kept arguments. Ends an answer that is longer than any result, and keeps the text of structured content. */
const fetchBounded: FetchLike = async (url, options) => {
  const given = options?.body;
  const answer = await fetch(url, typeof given === 'string' ? { ...options, body: writeArguments(given) } : options);
  if (answer.body === null) return answer;
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const limit = isStream ? MAX_STREAM_BYTES : MAX_MESSAGE_BYTES;
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(part, controller) {
      bytes += part.length;
      if (bytes > limit) controller.error(new Error(`the answer has more than ${limit} bytes`));
      else controller.enqueue(part);
    },
  });
  const { status, statusText } = answer;
  const headers = new Headers(answer.headers);
  // The length of the body is another one now, and its encoding none.
  for (const name of ['content-length', 'content-encoding']) headers.delete(name);
  const counted = answer.body.pipeThrough(count);
  const body = isStream
    ? counted.pipeThrough(createEventKeeper(MAX_MESSAGE_BYTES))
    : keepContent(await new Response(counted).text());
  const bounded = new Response(body, { status, statusText, headers });
  Object.defineProperty(bounded, 'url', { value: answer.url });
  return bounded;
};
