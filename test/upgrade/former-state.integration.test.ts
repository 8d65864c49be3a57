// A state folder of an earlier version: this version starts with it and has its threads, its memory and its suspended
// runs. The test checks the earlier version out and installs it, so it runs by command: npm run -s test:upgrade.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@millrace/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { current, isTestable, useCheckout } from './use-checkout.ts';

/** The last version without users on the bus, and without callers. */
const FORMER = 'f40ec59a7b1539b988a371dfc8655e19017d0f31';
const canRun = await isTestable(FORMER);

const START_MS = 120_000;
const AGENT = `name: asks
model: openai/gpt-5-mini
instructions: You are a helpful assistant.
tools: [calculator]
input:
  - memory
  - use: approval-gate
    options: { tools: [calculator] }
memory:
  lastMessages: 10
`;
const stackSchema = z.object({ natsUrl: z.string(), keys: z.string().optional() });
const suspendedSchema = z
  .array(z.object({ runId: z.string() }))
  .or(z.object({ suspended: z.array(z.object({ runId: z.string() })) }).transform(({ suspended }) => suspended));

describe.skipIf(!canRun)(`the state folder of ${FORMER.slice(0, 9)}`, () => {
  const { checkout: former, scratch } = useCheckout(FORMER);
  let serving: ChildProcess | undefined;
  const state = () => join(scratch(), 'state');
  afterAll(stop, START_MS);

  const environment = (more: Record<string, string> = {}) => {
    const { NATS_URL: _n, NATS_NKEY_FILE: _f, OPENAI_API_KEY: _k, OPENAI_BASE_URL: _b, ...env } = process.env;
    return { ...env, MILLRACE_STATE_DIR: state(), ...more };
  };
  async function start(checkout: string): Promise<void> {
    const args = [join(checkout, 'deploy/dev/src/main.ts'), '--no-tour'];
    const child = spawn(process.execPath, args, {
      cwd: scratch(),
      env: environment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    serving = child;
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    await eventually(() => said.includes('Ctrl-C'), { timeoutMs: START_MS });
  }
  async function stop(): Promise<void> {
    const child = serving;
    serving = undefined;
    if (!child || child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  /** Runs a command of that version against its stack. A suspended run is not an error of the command line. */
  async function millrace(checkout: string, ...args: string[]): Promise<string> {
    const stack = stackSchema.parse(JSON.parse(await readFile(join(state(), 'stack.json'), 'utf8')));
    const key = stack.keys === undefined ? {} : { NATS_NKEY_FILE: join(stack.keys, 'operator/user.nk') };
    const env = environment({ NATS_URL: stack.natsUrl, ...key });
    const main = join(checkout, 'shared/cli/src/main.ts');
    return new Promise((done) => {
      execFile(process.execPath, [main, ...args], { cwd: scratch(), env }, (_error, stdout, stderr) =>
        done(stdout + stderr),
      );
    });
  }

  test('starts with its threads, its memory and its suspended run, which an approval finishes', async () => {
    const agentFile = join(scratch(), 'asks.yaml');
    await writeFile(agentFile, AGENT);
    await start(former());
    await millrace(former(), 'agents', 'apply', agentFile);
    expect(await millrace(former(), 'run', 'demo', 'My name is Ada. What is 6 * 7?', '--thread', 't1')).toContain('42');
    expect(await millrace(former(), 'run', 'asks', 'What is 17 * 23?', '--thread', 't2')).toContain('suspended');
    await stop();

    await start(current);
    expect(await millrace(current, 'threads', 'list')).toContain('t1');
    expect(await millrace(current, 'run', 'demo', 'What is my name?', '--thread', 't1')).toContain('Ada');
    const [suspended] = suspendedSchema.parse(JSON.parse(await millrace(current, 'runs', 'suspended', '--json')));
    const runId = suspended?.runId ?? '';
    await millrace(current, 'runs', 'approve', runId);
    const show = await eventually(async () => {
      const shown = await millrace(current, 'runs', 'show', runId);
      return /status: finished/.test(shown) && shown;
    });
    expect(show).toContain('391');
  }, 300_000);
});
