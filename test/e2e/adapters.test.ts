// The adapters of other guard libraries: each conforms to docs/wire.md, judges in a run of the real orchestrator, and fails the run
// if its process ended. Installs hundreds of megabytes, so it runs by command: npm run -s test:adapters.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, useNats, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applying } from './apply-agent.ts';
import { collect, joinText } from './collect.ts';
import { confineToLoopback, installAdapter, PYTHON_EXAMPLES } from './python/adapter-environment.ts';
import { ADAPTERS, BENIGN } from './python/adapter-texts.ts';
import { millrace } from './run-command.ts';
import { script } from './script.ts';

const isAsked = process.env['MILLRACE_ADAPTERS'] === '1';
if (!isAsked) process.stderr.write('The adapters in Python are tested only by `npm run test:adapters`.\n');
const INSTALL_MS = 900_000;
const CHECK_MS = 180_000;
const START_MS = 60_000;

describe.skipIf(!isAsked)('adapters of other guard libraries', () => {
  const nats = useNats();
  const stack = useStack(nats, ['orchestrator']);
  const agent = applying(stack);
  let scratch: string;
  beforeAll(async () => void (scratch = await mkdtemp(join(tmpdir(), 'millrace-adapters-'))));
  afterAll(() => rm(scratch, { recursive: true, force: true }));

  describe.each(ADAPTERS)('$id', ({ folder, id, blocked, answered, failing }) => {
    const dir = join(PYTHON_EXAMPLES, 'adapters', folder);
    let python: string;
    let confined: Awaited<ReturnType<typeof confineToLoopback>>;
    let child: ChildProcess | undefined;
    const env = () => ({
      ...confined.env,
      NATS_URL: nats.url,
      OPENAI_BASE_URL: stack.modelUrl,
      OPENAI_API_KEY: 'stand-in',
    });
    const isServed = async () => (await stack.client.processors.survey()).processors.some((one) => one.id === id);
    beforeAll(async () => {
      python = await installAdapter(dir);
      confined = await confineToLoopback(scratch);
    }, INSTALL_MS);
    afterAll(async () => {
      if (child?.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    });

    test('the adapter conforms to the protocol and to its cases', { timeout: CHECK_MS }, async () => {
      const start = `exec "${python}" "${join(dir, 'service.py')}"`;
      const checked = await millrace(['check', id, '--cases', join(dir, 'cases.json'), '--start', start], {
        env: env(),
      });
      expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining(' 0 are broken') });
    });

    test('the adapter judges the input and the answer of a run', { timeout: START_MS * 2 }, async () => {
      child = spawn(python, [join(dir, 'service.py')], { env: { ...process.env, ...env() }, stdio: 'ignore' });
      await eventually(isServed, { timeoutMs: START_MS });
      const strict = await agent(`${id}-blocks`, { release: 'result', input: [{ use: id, options: blocked.options }] });
      expect(await (await stack.client.start(strict, blocked.text)).result()).toMatchObject({
        status: 'aborted',
        tripwire: { reason: blocked.reason, processorId: id },
      });
      const lists = {
        release: 'result',
        input: [{ use: id, options: answered.options }],
        output: [{ use: id, options: answered.options }],
      };
      const name = await agent(`${id}-answers`, lists);
      const harmless = await stack.client.start(name, script({ text: BENIGN }));
      expect(joinText(await collect(harmless))).toBe(BENIGN);
      expect(await harmless.result()).toMatchObject({ status: 'finished', text: BENIGN });
      const output = await agent(`${id}-output`, { release: 'result', output: lists.output });
      const run = await stack.client.start(output, script({ text: answered.text }));
      const streamed = joinText(await collect(run));
      const result = await run.result();
      expect(result).toMatchObject(answered.result);
      expect(streamed).toBe('text' in answered.result ? answered.result.text : '');
      expect(JSON.stringify(result.messages.slice(1))).not.toContain(answered.hidden);
    });

    test.runIf(failing)('a run fails if the library raises an error', async () => {
      const name = await agent(`${id}-fails`, { input: [{ use: id, options: failing?.options }] });
      const result = await (await stack.client.start(name, failing?.text ?? '')).result();
      expect(result).toMatchObject({ status: 'failed', error: { code: 'processor-failed' } });
    });

    test('a run fails if no process of the adapter runs', { timeout: START_MS }, async () => {
      if (!child) throw new Error('the adapter was not started');
      const name = await agent(`${id}-ended`, { input: [id] });
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      const result = await (await stack.client.start(name, BENIGN)).result();
      expect(result).toMatchObject({
        status: 'failed',
        error: { code: 'processor-not-there', path: `processInput/${id}` },
      });
    });

    test('the adapter connects to the loopback interface only', async () => {
      expect(await readFile(confined.refused, 'utf8')).toBe('');
    });
  });
});
