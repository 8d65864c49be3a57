// `millrace doctor` and `millrace tap` as processes, over real services.
import { defineMethods, eventually, useNats, useProcessors, useStack } from '@millrace/testkit';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { millrace, root } from './run-command.ts';
import { script } from './script.ts';

const nats = useNats();
const stack = useStack(nats, ['orchestrator', 'guardrails', 'auth', 'gateway'], () => ({ GATEWAY_PORT: '0' }));
/** Claims the name of a shipped guard. */
const taken = defineMethods('pii', { processInput: () => undefined });
useProcessors(nats, [taken], 'zz-claimant');
const env = () => ({ NATS_URL: nats.url });
const ndjson = z.array(
  z.object({ level: z.string(), name: z.string(), message: z.string(), remedy: z.string().optional() }),
);

beforeAll(async () => {
  await stack.client.agents.apply({ name: 'tapped', model: 'openai/gpt-5-mini', flushMs: 0, input: ['pii'] });
});

describe('millrace doctor', () => {
  test('Each part has a line, and a missing service is a failure with a remedy', async () => {
    const { code, stdout } = await millrace(['doctor', '--json'], { env: env() });
    const findings = ndjson.parse(JSON.parse(stdout));
    const find = (name: string) => findings.filter((one) => one.name === name);
    expect(find('connection')).toMatchObject([{ level: 'ok', message: expect.stringContaining('NATS_URL') }]);
    expect(find('orchestrator')).toMatchObject([{ level: 'ok', message: expect.stringContaining('protocol 2') }]);
    expect(find('clock')).toMatchObject([{ level: 'ok' }]);
    expect(find('streams')).toMatchObject([{ level: 'ok', message: expect.stringContaining('have room') }]);
    expect(find('processors')[0]).toMatchObject({ level: 'ok', message: expect.stringContaining('guardrails') });
    expect(JSON.stringify(find('processors'))).toContain('pii of zz-claimant cannot be used');
    expect(find('models')).toMatchObject([
      { level: 'ok', message: expect.stringMatching(/openai, openai-chat; agents use 1 models/) },
    ]);
    // No memory runs in this test.
    expect(find('memory')).toMatchObject([
      { level: 'fail', message: expect.stringContaining('nobody-there'), remedy: expect.any(String) },
    ]);
    expect(find('auth')).toMatchObject([{ level: 'ok' }]);
    expect(code).toBe(5);
  });

  test('The gateway has lines for its version, its console and the key of the terminal', async () => {
    const gateway = /"url":"(http[^"]+)"/.exec(await stack.log('gateway'))?.[1] ?? '';
    const check = async (key: string) => {
      const { stdout } = await millrace(['doctor', '--json', '--gateway', gateway], {
        env: { ...env(), MILLRACE_API_KEY: key },
      });
      const findings = ndjson.parse(JSON.parse(stdout));
      return findings.filter(({ name }) => ['gateway', 'console', 'key'].includes(name));
    };
    const { key } = await stack.client.keys.create({ scopes: ['read'], subject: 'ada' });
    expect(await check(key)).toMatchObject([
      { name: 'gateway', level: 'ok', message: expect.stringMatching(/answers, version \d/) },
      { name: 'console', level: 'warn', message: 'is not built, HTTP 503', remedy: expect.any(String) },
      { name: 'key', level: 'ok', message: 'that of MILLRACE_API_KEY is valid' },
    ]);
    expect((await check('mk_wrong')).at(-1)).toMatchObject({ level: 'fail', remedy: expect.any(String) });
  });

  test('A gateway that does not answer is a failure, and an address without HTTP a usage error', async () => {
    const ask = (gateway: string) => millrace(['doctor', '--gateway', gateway], { env: env() });
    expect((await ask('http://127.0.0.1:1')).stdout).toMatch(
      /^fail {2}gateway: http:\/\/127\.0\.0\.1:1 .* does not answer/m,
    );
    expect(await ask('localhost:8080')).toMatchObject({ code: 1 });
  });

  test('An unreachable server is a failure that names the address', async () => {
    const { code, stdout } = await millrace(['doctor', '--url', 'nats://127.0.0.1:1'], { env: env() });
    expect([code, stdout]).toEqual([5, expect.stringMatching(/^fail {2}connection: .*127\.0\.0\.1:1/m)]);
  });
});

describe('millrace tap', () => {
  function startTap(...args: string[]) {
    const child = spawn(process.execPath, [resolve(root, 'shared/cli/src/main.ts'), 'tap', ...args], {
      env: { PATH: process.env['PATH'], NATS_URL: nats.url },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const ended = once(child, 'close');
    return {
      see: (text: string) => eventually(() => output.includes(text), { timeoutMs: 15_000 }),
      output: () => output,
      interrupt: () => void child.kill('SIGINT'),
      exit: async () => (await ended)[0],
    };
  }

  test('All runs of the tenant are printed with their chunks and verdicts, until Ctrl-C', async () => {
    const tap = startTap();
    await tap.see('[tap] all runs of default');
    const { runId } = await stack.client.generate('tapped', script({ text: 'Seen by the tap.' }));
    await tap.see(`${runId} 1.0 start`);
    await tap.see('Seen by the tap.');
    await tap.see(`${runId} [processInput] pii continue`);
    tap.interrupt();
    expect(await tap.exit()).toBe(0);
  });

  test('A stage selects its events, and --lines ends the command', async () => {
    const tap = startTap('--stage', 'processInput', '--lines', '1');
    await tap.see('[tap] all runs of default');
    await stack.client.generate('tapped', script({ text: 'Not printed.' }));
    expect(await tap.exit()).toBe(0);
    expect(tap.output()).toContain('[processInput] pii continue');
    expect(tap.output()).not.toContain('Not printed.');
  });

  test('The tap of one run ends with the run, and an unknown stage is a usage error', async () => {
    const { runId } = await stack.client.generate('tapped', script({ text: 'One run.' }));
    const tapped = await millrace(['tap', runId], { env: env() });
    expect(tapped).toMatchObject({ code: 0, stdout: expect.stringContaining('[model] openai/gpt-5-mini stop') });
    expect(tapped.stdout).toContain('One run.');
    expect(await millrace(['tap', '--stage', 'none'], { env: env() })).toMatchObject({ code: 1 });
  });
});
