// MCP's own conformance suite, unchanged: against the gateway's /mcp, and against the client of the service tools.
// Installs fifty megabytes, so it runs by command: npm run -s test:mcp.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { useNats, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root, runCommand } from '../e2e/run-command.ts';

const isAsked = process.env['MILLRACE_MCP'] === '1';
if (!isAsked) process.stderr.write('The conformance of MCP is tested only by `npm run test:mcp`.\n');
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
    await stack.client.agents.apply({ name: 'conforming', model: 'openai/gpt-5-mini', description: 'Answers.' });
    key = (await stack.client.keys.create({ subject: 'ada', scopes: ['run', 'read', 'answer'] })).key;
    gateway = /"url":"(http[^"]+)"/.exec(await stack.log('gateway'))?.[1] ?? '';
    await new Promise<void>((done) => withKey.listen(0, '127.0.0.1', done));
  }, INSTALL_MS);
  afterAll(() => {
    withKey.closeAllConnections();
    withKey.close();
  });

  // The others call tools, prompts and resources of the suite's own example server.
  test.each(['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'])(
    'The gateway conforms in the scenario %s',
    async (scenario) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server that listens has an AddressInfo
      const { port } = withKey.address() as AddressInfo;
      const { code, stdout, stderr } = await conformance(
        'server',
        '--url',
        `http://localhost:${port}/mcp`,
        '--scenario',
        scenario,
      );
      expect(stdout + stderr).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/);
      expect(code).toBe(0);
    },
    SCENARIO_MS,
  );

  test.each(['initialize', 'tools_call', 'sse-retry'])(
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
