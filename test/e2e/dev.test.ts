// `millrace dev` restarts a processor when its file changes: the same text is judged differently afterwards.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, useNats, useStack } from '@millrace/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { usePython } from './python/use-python.ts';
import { root } from './run-command.ts';

const nats = useNats();
const stack = useStack(nats, ['orchestrator']);
const PATIENT = { timeoutMs: 30_000 };

const typescript = (word: string) => `import { defineProcessor, runProcessorService } from '@millrace/processor';
import { z } from 'zod';
const guard = defineProcessor({
  id: 'dev-ts', description: 'Blocks a word.', stages: ['processInput'], reads: ['input'], options: z.strictObject({}),
  create: () => ({
    processInput({ messageList, abort }) {
      if (messageList.getLatestUserContent().includes('${word}')) abort('The word is ${word}.');
    },
  }),
});
await runProcessorService({ name: 'dev-ts-service', version: '0.1.0', description: 'x', processors: [guard] });
`;
const python = (word: string) => `from millrace import Processor, abort, serve
class Guard(Processor):
    id, description, reads = "dev-py", "Blocks a word.", ["input"]
    def process_input(self, call):
        if "${word}" in call.text("input"):
            abort("The word is ${word}.")
serve("dev-py-service", [Guard])
`;

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-dev-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'node_modules/@millrace'), { recursive: true });
  await symlink(join(root, 'shared/processor'), join(folder, 'node_modules/@millrace/processor'));
  await symlink(join(root, 'shared/processor/node_modules/zod'), join(folder, 'node_modules/zod'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  return folder;
}

function startDev(folder: string, file: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(root, 'shared/cli/src/main.ts'), 'dev', file], {
    cwd: folder,
    env: {
      ...process.env,
      NATS_URL: nats.url,
      NATS_NKEY_FILE: join(nats.keys ?? '', 'developer/user.nk'),
      HEALTH_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit');
  const output = { text: '' };
  child.stderr.setEncoding('utf8').on('data', (text) => (output.text += text));
  const stop = async () => {
    child.kill('SIGINT');
    return exited;
  };
  onTestFinished(async () => void (child.exitCode === null && (await stop())));
  return { child, output, exited, stop };
}

/** Returns the reason of the block; undefined if the text passes. */
async function judge(agent: string, text: string): Promise<string | undefined> {
  return (await stack.client.generate(agent, text)).tripwire?.reason;
}

async function followChange(file: string, source: (word: string) => string, processor: string, env = {}) {
  const folder = await makeFolder();
  await writeFile(join(folder, file), source('red'));
  const { output, stop } = startDev(folder, file, env);
  const isServed = async () => (await stack.client.processors.list()).some(({ id }) => id === processor);
  await eventually(isServed, PATIENT).catch((cause: unknown) => {
    throw new Error(output.text, { cause });
  });
  await stack.client.agents.apply({ name: processor, model: 'openai/gpt-5-mini', input: [processor] });
  expect([await judge(processor, 'red'), await judge(processor, 'blue')]).toEqual(['The word is red.', undefined]);

  await writeFile(join(folder, file), source('blue'));
  await eventually(async () => (await judge(processor, 'blue')) === 'The word is blue.', PATIENT);
  expect(await judge(processor, 'red')).toBeUndefined();
  expect(output.text).toContain(`[dev] ${file} changed: restarting\n`);

  // A broken program waits for the next change.
  await writeFile(join(folder, file), '(((');
  await eventually(
    () => output.text.includes(`[dev] ${file} ended with code 1; the next change starts it again`),
    PATIENT,
  );
  await writeFile(join(folder, file), source('green'));
  await eventually(async () => (await judge(processor, 'green')) === 'The word is green.', PATIENT);
  const end = await stop();
  return { end, last: output.text.trimEnd().split('\n').at(-1) };
}

test('A changed processor in TypeScript judges by its new source', { timeout: 120_000 }, async () => {
  const followed = await followChange('main.ts', typescript, 'dev-ts');
  expect(followed).toEqual({ end: [0, null], last: '[dev] main.ts is stopped' });
});

test('A file in Python runs by the virtual environment of its folder', { timeout: 60_000 }, async () => {
  const folder = await makeFolder();
  await mkdir(join(folder, '.venv/bin'), { recursive: true });
  await writeFile(join(folder, '.venv/bin/python'), '#!/bin/sh\necho "own $(basename "$1")" >&2\n', { mode: 0o755 });
  await writeFile(join(folder, 'main.py'), python('red'));
  const { output, stop } = startDev(folder, 'main.py', { PYTHON: '' });
  await eventually(() => output.text.includes('own main.py\n'), PATIENT);
  expect(await stop()).toEqual([0, null]);
});

test('The program receives SIGTERM when the command is killed', { timeout: 60_000 }, async () => {
  const folder = await makeFolder();
  const source =
    "process.on('SIGTERM', () => setTimeout(() => process.exit(0), 500)); setInterval(() => {}, 1_000); console.error('up');";
  await writeFile(join(folder, 'main.js'), source);
  const { child, output, exited } = startDev(folder, 'main.js');
  await eventually(() => output.text.includes('up\n'), PATIENT);
  const pid = Number(/process (\d+)/.exec(output.text)?.[1]);
  expect(isRunning(pid)).toBe(true);
  child.kill('SIGKILL');
  await exited;
  await eventually(() => !isRunning(pid), PATIENT);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe.skipIf(process.env['MILLRACE_PYTHON'] !== '1')('in Python', () => {
  const helper = usePython();
  test('A changed processor in Python judges by its new source', { timeout: 120_000 }, async (context) => {
    helper.requirePython(context);
    const env = { PYTHON: helper.python(), PYTHONPATH: helper.folder };
    const followed = await followChange('main.py', python, 'dev-py', env);
    expect(followed).toEqual({ end: [0, null], last: '[dev] main.py is stopped' });
  });
});
