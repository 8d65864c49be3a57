// A NATS server in operator mode: services, client, command line, check and the Python helper connect with credentials
// files, each with the permissions of its role.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from '@millrace/client';
import { createOperatorMode, credsFile, eventually, useNats, useStack, type OperatorMode } from '@millrace/testkit';
import { afterAll, expect, test } from 'vitest';
import { usePython } from './python/use-python.ts';
import { millrace } from './run-command.ts';
import { script } from './script.ts';

const mode: OperatorMode = await createOperatorMode();
afterAll(() => rm(mode.folder, { recursive: true, force: true }));
const nats = useNats({ extraConfig: mode.config });
const services = ['orchestrator', 'guardrails', 'tools'];
const stack = useStack(nats, services, () => ({}), { creds: () => mode.folder });
const { folder, python, requirePython } = usePython();

const readCreds = (role: string) => credsFile(mode.folder, role);
const cli = (args: readonly string[], role: string) =>
  millrace(args, { env: { NATS_URL: nats.url, NATS_CREDS_FILE: readCreds(role), ...model() } });
const model = () => ({ OPENAI_BASE_URL: stack.modelUrl, OPENAI_API_KEY: 'stand-in' });
const AGENT = { name: 'guarded', model: 'openai/gpt-5-mini', output: ['pii'] };
const MASKED = script({ text: 'write to ann.example@example.com', chunkSize: 3, delayMs: 0 });

test('A client with the credentials of an operator applies an agent, and services with theirs serve its runs', async () => {
  const client = await connect({ url: nats.url, credsFile: readCreds('operator') });
  try {
    await client.agents.apply(AGENT);
    const run = await client.generate('guarded', MASKED);
    expect(run).toMatchObject({ status: 'finished', text: expect.stringMatching(/^write to (?!.*ann\.example)/) });
  } finally {
    await client.close();
  }
  for (const service of services) expect(await stack.log(service)).not.toMatch(/permission|refuses/i);
});

test('Commands run with the credentials of an operator, and check with those of a checker', async () => {
  await stack.client.agents.apply(AGENT);
  const run = await cli(['run', 'guarded', 'What is 17 * 23?'], 'operator');
  expect(run).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/refuse/) });
  const check = await cli(['check', 'tools', '--json'], 'checker');
  expect(check).toMatchObject({ code: 0, stderr: '' });
  expect(check.stdout).not.toContain('"broken"');
}, 120_000);

test('Credentials of a service do not apply agents', async () => {
  const client = await connect({ url: nats.url, credsFile: readCreds('guardrails') });
  try {
    await expect(client.agents.apply(AGENT)).rejects.toMatchObject({ code: 'permission-denied' });
  } finally {
    await client.close();
  }
});

test('Credentials of another operator are refused', async () => {
  const other = await createOperatorMode();
  try {
    const refused = connect({ url: nats.url, credsFile: credsFile(other.folder, 'operator') });
    await expect(refused).rejects.toMatchObject({ code: 'credentials-refused' });
  } finally {
    await rm(other.folder, { recursive: true, force: true });
  }
});

test('A processor in Python serves with a credentials file', { timeout: 60_000 }, async (context) => {
  requirePython(context);
  const child = spawn(python(), [join(folder, 'short.py')], {
    env: { ...process.env, NATS_URL: nats.url, NATS_CREDS_FILE: readCreds('developer') },
    stdio: 'inherit',
  });
  const exited = once(child, 'exit');
  try {
    const served = await eventually(async () =>
      (await stack.client.processors.list()).find(({ service }) => service === 'py-short-service'),
    );
    expect(served.replicas).toHaveLength(1);
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
});
