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
  ['a name with an underscore', { a_b: { command: 'x' } }],
  ['no JSON', '{"servers": s3cret'],
  ['no servers', '{}'],
])('a file with %s is rejected, without a quotation', async (_what, servers) => {
  const error: unknown = await read(servers).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'config-invalid', path: 'MCP_SERVERS' });
  expect(String(error) + JSON.stringify(error)).not.toContain('s3cret');
});

const spaced = { ...tool, name: 'read page' };
const broken = { ...tool, inputSchema: { type: 'object', properties: { city: { type: null } } } };
test.each<[string, object, string, string]>([
  ['no command and no address', {}, 'MCP server a', 'servers.a'],
  ['credentials in the address', { url: 'https://user:s3cret@mcp.example/' }, 'MCP server a', 'servers.a'],
  ['another scheme', { url: 'file:///etc/passwd' }, 'MCP server a', 'servers.a'],
  [
    'a secret in a header',
    { url: 'https://mcp.example/', headers: { authorization: 's3cret' } },
    'MCP server a',
    'servers.a',
  ],
  ['a tool without a pin', { command: 'x', tools: { read: definition } }, 'MCP server a', 'servers.a'],
  [
    'a description that its pin does not cover',
    { command: 'x', tools: { read: { ...pinned, description: 's3cret' } } },
    'a_read',
    'not that of its pin',
  ],
  [
    'a name that is no token',
    { command: 'x', tools: { 'read page': { ...pinned, pin: hashDefinition(spaced) } } },
    'a_read page',
    'set "as"',
  ],
  [
    'two tools of one name',
    {
      command: 'x',
      tools: { other: { ...pinned, pin: hashDefinition({ ...tool, name: 'other' }), as: 'read' }, read: pinned },
    },
    'a_read',
    'a second tool',
  ],
  [
    'a schema of no dialect',
    { command: 'x', tools: { read: { ...pinned, inputSchema: broken.inputSchema, pin: hashDefinition(broken) } } },
    'a_read',
    'data/properties/city/type',
  ],
])(
  '%s is a problem of its part, without a quotation, and the other servers work',
  async (_what, server, name, text) => {
    const { servers, problems } = await read({ a: server, other: { command: 'x', tools: { read: pinned } } });
    expect(problems).toEqual([{ name, problem: expect.stringContaining(text) }]);
    expect(JSON.stringify(problems)).not.toContain('s3cret');
    expect(Object.keys(servers.get('other')?.tools ?? {})).toEqual(['read']);
    expect(Object.keys(servers.get('a')?.tools ?? {})).not.toContain(name.replace('a_', ''));
  },
);

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
