// MCP's own conformance suite, unchanged: against the gateway's /mcp, and against the client of the service tools.
// Installs fifty megabytes, so it runs by command: npm run -s test:mcp.
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { useNats, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { root, runCommand } from '../e2e/run-command.ts';

const { server, client } = z
  .object({
    server: z.object({ failed: z.record(z.string(), z.string()), skipped: z.record(z.string(), z.string()) }),
    client: z.object({ skipped: z.record(z.string(), z.string()) }),
  })
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'expected-failures.json'), 'utf8')));
const PASSED_BY_SERVER = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'dns-rebinding-protection',
];
const PASSED_BY_CLIENT = ['initialize', 'tools_call', 'sse-retry'];
const isAsked = process.env['MILLRACE_MCP'] === '1';
if (!isAsked) process.stderr.write('The conformance of MCP is tested only by `npm run test:mcp`.\n');
/** Under the names of the tools that the suite calls, without arguments. */
const AGENTS = [
  'conforming',
  'json_schema_2020_12_tool',
  ...[
    'simple_text',
    'error_handling',
    'image_content',
    'audio_content',
    'embedded_resource',
    'multiple_content_types',
    'tool_with_logging',
    'tool_with_progress',
    'sampling',
    'elicitation',
    'elicitation_sep1034_defaults',
    'elicitation_sep1330_enums',
    'reconnection',
  ].map((name) => `test_${name}`),
];
const INSTALL_MS = 300_000;
const SCENARIO_MS = 60_000;
const folder = join(import.meta.dirname, 'mcp');
const program = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const conformance = (...args: string[]) => runCommand(process.execPath, [program, ...args]);

describe.skipIf(!isAsked)('the conformance suite of MCP', () => {
  const nats = useNats();
  const stack = useStack(nats, ['orchestrator', 'auth', 'gateway'], () => ({ GATEWAY_PORT: '0' }));
  let key = '';
  let gateway = '';
  /** The suite sends no credentials: this server adds them, and changes nothing. */
  const withKey = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${key}` };
    const forwarded = request(gateway + (asked.url ?? ''), { method: asked.method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    asked.pipe(forwarded);
  });
  beforeAll(async () => {
    const installed = await runCommand('npm', ['ci', '--no-audit', '--no-fund', '--loglevel', 'error'], {
      cwd: folder,
    });
    if (installed.code !== 0) throw new Error(installed.stderr);
    for (const name of AGENTS)
      // oxlint-disable-next-line no-await-in-loop -- a few agents
      await stack.client.agents.apply({ name, model: 'openai/gpt-5-mini', description: 'Answers.' });
    key = (await stack.client.keys.create({ subject: 'ada', scopes: ['run', 'read', 'answer'] })).key;
    gateway = /"url":"(http[^"]+)"/.exec(await stack.log('gateway'))?.[1] ?? '';
    await new Promise<void>((done) => withKey.listen(0, '127.0.0.1', done));
  }, INSTALL_MS);
  afterAll(() => {
    withKey.closeAllConnections();
    withKey.close();
  });

  const runServer = (scenario: string) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server that listens has an AddressInfo
    const { port } = withKey.address() as AddressInfo;
    return conformance('server', '--url', `http://localhost:${port}/mcp`, '--scenario', scenario);
  };

  test('Each scenario of the suite is run, or listed with a reason', async () => {
    const { stdout } = await conformance('list');
    const [servers = '', clients = ''] = stdout.split('Client scenarios');
    const listNames = (text: string) => [...text.matchAll(/^ {2}- (\S+)/gm)].map(([, name = '']) => name);
    const listed = [...PASSED_BY_SERVER, ...Object.keys(server.failed), ...Object.keys(server.skipped)];
    expect(listNames(servers).toSorted()).toEqual(listed.toSorted());
    expect(listNames(clients).toSorted()).toEqual([...PASSED_BY_CLIENT, ...Object.keys(client.skipped)].toSorted());
  });

  test.each(PASSED_BY_SERVER)(
    'The gateway conforms in the scenario %s',
    async (scenario) => {
      const { code, stdout, stderr } = await runServer(scenario);
      expect(stdout + stderr).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/);
      expect(code).toBe(0);
    },
    SCENARIO_MS,
  );

  test.each(Object.entries(server.failed))(
    'The gateway fails by design in the scenario %s: %s',
    async (scenario) => {
      const { code, stdout, stderr } = await runServer(scenario);
      expect(stdout + stderr).toMatch(/[1-9]\d* failed/);
      expect(code).not.toBe(0);
    },
    SCENARIO_MS,
  );

  test.each(PASSED_BY_CLIENT)(
    'The client of the service tools conforms in the scenario %s',
    async (scenario) => {
      const client = `${process.execPath} ${resolve(root, 'services/tools/src/testing/conformance-client-main.ts')}`;
      const { code, stdout, stderr } = await conformance('client', '--command', client, '--scenario', scenario);
      expect(stdout + stderr).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/);
      expect(code).toBe(0);
    },
    SCENARIO_MS,
  );
});
