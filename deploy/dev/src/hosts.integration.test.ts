// The hosts of `npm start`, with the real services: which processes there are, and what survives the death of one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished, describe, expect, test, vi } from 'vitest';
import { EXIT_CODES } from '@millrace/cli';
import type { Client } from '@millrace/client';
import { openClient } from './open-client.ts';
import { readStack } from './stack-file.ts';
import { locateStateDir } from './state-dir.ts';
import { findHosts, findServices, isAlive, npmStart, type StartedCommand } from './testing/npm-start.ts';
import { scratchDir } from './testing/scratch-dir.ts';

const patient = { timeout: 90_000, interval: 50 };
const TEXT = 'one two three four five six seven eight nine ten eleven twelve';
/** Model calls that a death cuts off are repeated: each has the same answer. */
const SCRIPT = JSON.stringify(Array.from({ length: 6 }, () => ({ text: TEXT, chunkSize: 4, delayMs: 100 })));

/** The guards of the demo agent, with time for a host that restarts on a busy machine. */
const PATIENT_GUARDS = ['prompt-injection', 'pii'].map((use) => ({ use, timeoutMs: 60_000 }));
const AGENT = {
  name: 'patient',
  model: 'openai/gpt-5-mini',
  instructions: 'Answer.',
  input: PATIENT_GUARDS,
  output: PATIENT_GUARDS.slice(1),
};

type TestedStack = { started: StartedCommand; client: Client; folder: string };

async function startStack(args: readonly string[] = []): Promise<TestedStack> {
  // The command finds the stack in this folder.
  const folder = await scratchDir();
  const root = join(folder, '.millrace');
  const started = npmStart(root, ['--no-tour', ...args]);
  await vi.waitFor(() => expect(started.stdout()).toContain('Ctrl-C'), patient);
  const stack = await readStack(locateStateDir(root).stackFile);
  const client = await openClient({ url: stack?.natsUrl ?? '', keys: stack?.keys, isOurs: true }, {});
  onTestFinished(() => client.close());
  await client.agents.apply(AGENT);
  return { started, client, folder };
}

/** Starts a run, and calls `onText` at the first text of its answer. */
async function runScript(client: Client, onText: () => void) {
  const run = await client.start(AGENT.name, `Hello\n\`\`\`script\n${SCRIPT}\n\`\`\``, {
    threadId: 't',
    resourceId: 'r',
  });
  let hasText = false;
  for await (const chunk of run.fullStream) {
    if (hasText || chunk.type !== 'text-delta') continue;
    hasText = true;
    onText();
  }
  return run.result();
}

const command = fileURLToPath(import.meta.resolve('@millrace/cli')).replace(/mod\.ts$/, 'main.ts');

async function runMillrace(cwd: string, args: readonly string[]) {
  const child = spawn(process.execPath, [command, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: child.exitCode, stdout, stderr };
}

describe.skipIf(process.platform !== 'linux')('hosts of npm start', { timeout: 180_000 }, () => {
  test('the services run in two hosts; after the death of either during a run, the run finishes and its text is whole', async () => {
    const { started, client } = await startStack();
    for (const [name, service] of [
      ['processors', 'tools'],
      ['runs', 'orchestrator'],
    ] as const) {
      const [host = 0] = await findHosts(started.pid, name);
      const result = await runScript(client, () => process.kill(host, 'SIGKILL'));
      expect(isAlive(host)).toBe(false);
      expect(result).toMatchObject({ status: 'finished', text: TEXT });
      expect(started.stderr()).toContain(`${service} was ended by SIGKILL; started again`);
    }
    expect(await findHosts(started.pid)).toHaveLength(2);
  });

  test('a host that dies repeatedly is replaced by a process for each of its services', async () => {
    const { started, client } = await startStack();
    for (let death = 0; death < 2; death++) {
      const [host = 0] = await vi.waitFor(async () => {
        const found = await findHosts(started.pid, 'processors');
        expect(found).toHaveLength(1);
        return found;
      }, patient);
      process.kill(host, 'SIGKILL');
      await vi.waitFor(() => expect(isAlive(host)).toBe(false), patient);
    }
    await vi.waitFor(async () => expect(await findServices(started.pid, 'tools')).toHaveLength(1), patient);
    const runAgain = async () =>
      expect(await runScript(client, () => {})).toMatchObject({ status: 'finished', text: TEXT });
    await vi.waitFor(runAgain, patient);
  });

  test('`millrace restart` replaces a service alone, and `millrace scale` starts and stops replicas of it', async () => {
    const { started, client, folder } = await startStack();
    const hosts = await findHosts(started.pid);
    const millrace = (...args: string[]) => runMillrace(folder, args);
    const findTools = () => findServices(started.pid, 'tools');
    expect(await findTools()).toEqual([]);
    const restarted = await millrace('restart', 'tools');
    const [pid] = await findTools();
    expect(restarted).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`tools restarted: process ${pid}, log`),
    });
    expect(await findHosts(started.pid)).toEqual(hosts);
    const scaled = await millrace('scale', 'tools', '3');
    expect(scaled).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^tools has 3 replicas: process \d+, \d+, \d+/),
    });
    const tools = await findTools();
    expect(tools).toHaveLength(3);
    expect(await runScript(client, () => {})).toMatchObject({ status: 'finished', text: TEXT });
    await millrace('restart', 'tools');
    expect((await findTools()).filter((one) => tools.includes(one))).toEqual([]);
    expect(await millrace('scale', 'tools', '0')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('no process'),
    });
    expect(await findTools()).toEqual([]);
    expect(await millrace('scale', 'gateway', '2')).toMatchObject({
      code: EXIT_CODES.refused.code,
      stderr: expect.stringContaining('gateway can have one replica only: it listens on a port of its own'),
    });
    expect(await millrace('restart', 'toolz')).toMatchObject({
      code: EXIT_CODES.refused.code,
      stderr: expect.stringMatching(/no service "toolz"[^]*tools/),
    });
    const { url } = JSON.parse(await readFile(join(folder, '.millrace/control.json'), 'utf8'));
    const stranger = await fetch(url, { method: 'POST', body: '{"kind":"restart","service":"gateway"}' });
    expect(await stranger.json()).toMatchObject({ error: { code: 'permission-denied' } });
    started.kill('SIGTERM');
    await started.ended;
    expect(await millrace('restart', 'tools')).toMatchObject({
      code: EXIT_CODES.unreachable.code,
      stderr: expect.stringContaining('No npm start runs'),
    });
  });

  test('with --processes each service has a process of its own', async () => {
    const { started } = await startStack(['--processes']);
    expect(await findHosts(started.pid)).toEqual([]);
    for (const service of ['tools', 'gateway', 'orchestrator', 'dev-model'])
      expect(await findServices(started.pid, service)).toHaveLength(1);
  });
});
