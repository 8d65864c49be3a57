import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listChanges } from './accept-tools.ts';
import { readMcpFile } from './mcp-file.ts';

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

test('The example has the definitions of its server', async () => {
  const { servers } = await readMcpFile(join(import.meta.dirname, '../../../../examples/mcp/mcp.json'));
  const config = servers.get('everything');
  expect(config).toMatchObject({
    command: 'npx',
    args: ['--yes', expect.stringMatching(/everything@[\d.]+$/), 'stdio'],
  });
  if (!config || !('command' in config)) throw new Error('it is started as a process');
  const { version } = createRequire(import.meta.url)('@modelcontextprotocol/server-everything/package.json');
  expect(config.args[1]).toContain(`@${version}`);
  const installed = { ...config, command: process.execPath, args: [everything, 'stdio'] };
  const changes = await listChanges('everything', installed, { folder: tmpdir(), env: process.env });
  const accepted = changes.filter(({ state }) => state !== 'new').map(({ name, state }) => [name, state]);
  expect(accepted).toEqual([
    ['echo', 'accepted'],
    ['get-sum', 'accepted'],
  ]);
}, 60_000);
