// The hosts of `npm start`, with the real services: which processes there are, and what survives the death of one.
import { onTestFinished, describe, expect, test, vi } from 'vitest';
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

async function startStack(args: readonly string[] = []): Promise<{ started: StartedCommand; client: Client }> {
  const root = await scratchDir();
  const started = npmStart(root, ['--no-tour', ...args]);
  await vi.waitFor(() => expect(started.stdout()).toContain('Ctrl-C'), patient);
  const stack = await readStack(locateStateDir(root).stackFile);
  const client = await openClient({ url: stack?.natsUrl ?? '', keys: stack?.keys, isOurs: true }, {});
  onTestFinished(() => client.close());
  return { started, client };
}

/** Starts a run, and calls `onText` at the first text of its answer. */
async function runScript(client: Client, onText: () => void) {
  const run = await client.start('demo', `Hello\n\`\`\`script\n${SCRIPT}\n\`\`\``, { threadId: 't', resourceId: 'r' });
  let hasText = false;
  for await (const chunk of run.fullStream) {
    if (hasText || chunk.type !== 'text-delta') continue;
    hasText = true;
    onText();
  }
  return run.result();
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

  test('with --processes each service has a process of its own', async () => {
    const { started } = await startStack(['--processes']);
    expect(await findHosts(started.pid)).toEqual([]);
    for (const service of ['tools', 'gateway', 'orchestrator', 'dev-model'])
      expect(await findServices(started.pid, service)).toHaveLength(1);
  });
});
