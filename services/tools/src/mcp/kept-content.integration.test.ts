// Structured content and arguments of MCP servers keep their text over each transport.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { jsonObjectSchema } from '@millrace/contracts';
import { sampleObjectTexts } from '@millrace/contracts/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectClient } from './mcp-client.ts';
import type { McpServerConfig } from './mcp-file.ts';
import { openTransport } from './open-transport.ts';
import { createEventKeeper, keepArguments, keepContent, readKeptText, writeArguments } from './kept-content.ts';

const file = resolve(import.meta.dirname, '../testing/raw-server-main.ts');
const TEXTS = sampleObjectTexts(60, 1, { hasDuplicates: false });
const children: ChildProcess[] = [];
afterAll(() => children.forEach((child) => child.kill()));

async function startHttp(form: string): Promise<string> {
  const child = spawn(process.execPath, [file, 'http', form], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return `http://127.0.0.1:${String(line).split(' ')[1]}/mcp`;
}

const none = { tools: {}, headers: {}, env: {} };
const CONFIGS: Record<string, () => Promise<McpServerConfig>> = {
  stdio: async () => ({ ...none, command: process.execPath, args: [file] }),
  'HTTP with one answer': async () => ({ ...none, url: await startHttp('json') }),
  'HTTP with events': async () => ({ ...none, url: await startHttp('events') }),
};

describe.each(Object.keys(CONFIGS))('a server of MCP over %s', (name) => {
  let client: Awaited<ReturnType<typeof connectClient>>;
  beforeAll(async () => {
    const config = await CONFIGS[name]?.();
    if (!config) throw new Error('no config');
    client = await connectClient(
      await openTransport(config, { folder: '.', env: process.env, onLine: () => undefined }),
    );
  });
  afterAll(() => client.close());

  const call = async (args: unknown): Promise<string> => {
    const { structuredContent } = await client.callTool({ name: 'repeat', arguments: jsonObjectSchema.parse(args) });
    return readKeptText(structuredContent) ?? JSON.stringify(structuredContent);
  };

  test('has its structured content byte for byte', async () => {
    for (const text of TEXTS) {
      const sent = name === 'stdio' ? text.replaceAll('\n', ' ') : text;
      expect(await call({ given: sent })).toBe(sent);
    }
  });

  test('receives its arguments byte for byte', async () => {
    for (const text of TEXTS) {
      const sent = name === 'stdio' ? text.replaceAll('\n', ' ') : text;
      expect(await call(keepArguments(text))).toBe(sent);
    }
  });
});

test('A message without kept arguments is the same text', () => {
  for (const message of ['{"params":{"arguments":{"millrace-":"{}"}}}', '{"method":"ping"}'])
    expect(writeArguments(message)).toBe(message);
});

test('Events are kept whatever the pieces in which their bytes arrive, and others are the same bytes', async () => {
  const message = '{"id":1,"result":{"content":[],"structuredContent":{"id": 1456181302800679079,\n"b":"ü"}}}';
  const plain = ': ping\n\nevent: message\r\ndata: {"id":2}\r\n\r\n';
  const bytes = Buffer.from(`${plain}data: ${message.split('\n').join('\ndata: ')}\n\n${plain}`);
  for (const size of [1, 2, 3, 7, 64, bytes.length]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      Uint8Array.from(bytes.subarray(at * size, (at + 1) * size)),
    );
    const kept = await new Response(ReadableStream.from(pieces).pipeThrough(createEventKeeper(1_000))).text();
    expect(kept.split(/(?<=\n\n|\r\n\r\n)/)).toEqual([
      ...plain.split(/(?<=\n\n)/).slice(0, 2),
      expect.any(String),
      ...plain.split(/(?<=\n\n)/).slice(0, 2),
    ]);
    const event = kept.split('\n').find((line) => line.includes('structuredContent')) ?? '';
    expect(readKeptText(JSON.parse(event.slice(5)).result.structuredContent)).toBe(
      '{"id": 1456181302800679079,\n"b":"ü"}',
    );
  }
});

test('A message without structured content, and one that is no JSON, are the same texts', () => {
  for (const message of ['{"id":1,"result":{}}', '{"structuredContent"', '{"result":{"structuredContent":{"a":1}}}'])
    expect(keepContent(message)).toBe(message);
});

const PIECE = Buffer.from('data: 1234567890');
const PIECES = 32_768;

async function measureReading(stream: TransformStream<Uint8Array, Uint8Array>): Promise<number> {
  const before = process.cpuUsage();
  const read = await new Response(
    ReadableStream.from(Array.from({ length: PIECES }, () => Uint8Array.from(PIECE))).pipeThrough(stream),
  ).text();
  const { user, system } = process.cpuUsage(before);
  expect(read).toHaveLength(PIECES * PIECE.length);
  return user + system;
}

test('An event in many small pieces costs at most five times the processor time of a stream that only passes them', async () => {
  const ratios: number[] = [];
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const plain = await measureReading(new TransformStream());
    ratios.push((await measureReading(createEventKeeper(PIECES * PIECE.length))) / plain);
  }
  expect(Math.min(...ratios)).toBeLessThan(5);
});
