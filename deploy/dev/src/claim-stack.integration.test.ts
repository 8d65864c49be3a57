import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { claimStack } from './claim-stack.ts';
import { readStack, removeStack, writeStack, type StackFile } from './stack-file.ts';
import { locateStateDir } from './state-dir.ts';
import { scratchDir } from './testing/scratch-dir.ts';

const stack: StackFile = {
  natsUrl: 'nats://127.0.0.1:4222',
  pid: process.pid,
  ports: { nats: 4222 },
  services: ['tools'],
  startedAt: '2026-11-21T01:00:00.000Z',
};

async function ours() {
  const state = locateStateDir(await scratchDir());
  const claim = await claimStack(state);
  if (claim.kind !== 'ours') throw new Error('the directory is new');
  return { state, claim };
}

describe('stack.json', () => {
  test('stack.json contains the addresses while the stack runs and is removed afterwards', async () => {
    const { state } = await ours();
    await writeStack(state.stackFile, stack);
    expect(await readStack(state.stackFile)).toEqual(stack);
    await removeStack(state.stackFile);
    expect(await readStack(state.stackFile)).toBeUndefined();
  });

  test.each(['', '{"natsUrl":', '{"natsUrl":"nats://localhost:4222"}', '[]'])('that reads %j is none', async (text) => {
    const { state } = await ours();
    await writeFile(state.stackFile, text);
    expect(await readStack(state.stackFile)).toBeUndefined();
  });
});

describe('the claim on a checkout', () => {
  test('is refused while another holds it, with the stack that runs', async () => {
    const { state } = await ours();
    expect(await claimStack(state)).toEqual({ kind: 'taken', stack: undefined });
    await writeStack(state.stackFile, stack);
    expect(await claimStack(state)).toEqual({ kind: 'taken', stack });
  });

  test('can be had again once it is released', async () => {
    const { state, claim } = await ours();
    await claim.release();
    expect((await claimStack(state)).kind).toBe('ours');
  });

  test('of a killed stack is taken over, and its stack.json is removed', async () => {
    const state = locateStateDir(await scratchDir());
    const owner = spawn(process.execPath, [join(import.meta.dirname, 'testing/claiming-main.ts'), state.root], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void owner.kill('SIGKILL'));
    await once(owner.stdout, 'data');
    expect(await claimStack(state)).toMatchObject({ kind: 'taken', stack: { pid: owner.pid } });

    const exited = once(owner, 'exit');
    owner.kill('SIGKILL');
    await exited;
    // Another process may have its id now: the claim is stale, because that process did not write it.
    await writeStack(state.stackFile, stack);
    expect((await claimStack(state)).kind).toBe('ours');
    await expect(readFile(state.stackFile)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
