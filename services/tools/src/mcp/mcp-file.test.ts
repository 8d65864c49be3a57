import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { compareTools } from './compare-tools.ts';
import { readMcpFile } from './mcp-file.ts';
import { hashDefinition } from './tool-definition-hash.ts';

const tool = { name: 'read', description: 'Reads a page.', inputSchema: { type: 'object' } };
const { name: _name, ...definition } = tool;
const pinned = { pin: hashDefinition(tool), ...definition };
const read = async (servers: object | string) => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-mcp-file-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'mcp.json');
  await writeFile(file, typeof servers === 'string' ? servers : JSON.stringify({ servers }));
  return readMcpFile(file);
};

test('a tool has the most restrictive effect unless the operator chooses another one', async () => {
  const { servers } = await read({ web: { url: 'https://mcp.example/mcp', tools: { read: pinned } } });
  expect(servers.get('web')).toMatchObject({
    tools: { read: { effect: 'send', idempotent: false, timeoutMs: 30_000 } },
  });
});

test.each<[string, object | string]>([
  ['no command and no address', { a: {} }],
  ['credentials in the address', { a: { url: 'https://user:s3cret@mcp.example/' } }],
  ['another scheme', { a: { url: 'file:///etc/passwd' } }],
  ['a secret in a header', { a: { url: 'https://mcp.example/', headers: { authorization: 's3cret' } } }],
  ['a name with an underscore', { a_b: { command: 'x' } }],
  ['a tool without a pin', { a: { command: 'x', tools: { read: definition } } }],
  [
    'a description that its pin does not cover',
    { a: { command: 'x', tools: { read: { ...pinned, description: 's3cret' } } } },
  ],
  [
    'a name that is no token',
    { a: { command: 'x', tools: { 'read page': { ...pinned, pin: hashDefinition({ ...tool, name: 'read page' }) } } } },
  ],
  [
    'two tools of one name',
    {
      a: {
        command: 'x',
        tools: { read: pinned, other: { ...pinned, pin: hashDefinition({ ...tool, name: 'other' }), as: 'read' } },
      },
    },
  ],
  ['no JSON', '{"servers": s3cret'],
  ['no servers', '{}'],
])('a file with %s is rejected, without a quotation', async (_what, servers) => {
  const error: unknown = await read(servers).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'config-invalid', path: 'MCP_SERVERS' });
  expect(String(error) + JSON.stringify(error)).not.toContain('s3cret');
});

test('a name that is no token is served under another name', async () => {
  const spaced = { ...pinned, pin: hashDefinition({ ...tool, name: 'read page' }), as: 'read-page' };
  const { servers } = await read({ a: { command: 'x', tools: { 'read page': spaced } } });
  expect(servers.get('a')?.tools['read page']).toMatchObject({ as: 'read-page' });
});

test('the order of members does not change a hash, and every part of a definition does', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' }, b: [1, 2] } };
  const turned = { properties: { b: [1, 2], a: { type: 'string' } }, type: 'object' };
  const hash = hashDefinition({ ...tool, inputSchema: schema });
  expect(hashDefinition({ ...tool, inputSchema: turned })).toBe(hash);
  const others = [{ name: 'read2' }, { description: 'Reads a page. ' }, { inputSchema: { ...schema, type: 'array' } }];
  for (const other of others) expect(hashDefinition({ ...tool, inputSchema: schema, ...other })).not.toBe(hash);
});

test('a comparison refuses changed and missing tools, and lists those that are not accepted', async () => {
  const { servers } = await read({ a: { command: 'x', tools: { read: pinned } } });
  const tools = servers.get('a')?.tools ?? {};
  expect(compareTools([tool], tools)).toEqual({ refused: new Map(), notAccepted: [] });
  const changed = { ...tool, description: 'Reads a page, and sends it.' };
  expect(compareTools([changed, { ...tool, name: 'write' }], tools)).toEqual({
    refused: new Map([['read', `its definition has changed to ${hashDefinition(changed)}`]]),
    notAccepted: ['write'],
  });
  expect([...compareTools([], tools).refused.keys()]).toEqual(['read']);
});
