// Starts an unmodified LiteLLM proxy as the example does, from its hash-locked requirements.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { eventually } from '@millrace/testkit/bench';
import { root } from '../run-command.ts';
import { installAdapter } from './adapter-environment.ts';

const START_MS = 120_000;
const EXAMPLE = join(root, 'examples/litellm');
/** The proxy refuses to start with a short key. */
const MASTER_KEY = `sk-${'0123456789abcdef'.repeat(4)}`;

export type LiteLlm = {
  url: string;
  /** Of its administrator. */
  key: string;
  pid: number;
  stop(): Promise<void>;
};

/**
 * @param home empty folder
 * @param env variables of the script, and those that the configuration names
 * @throws with the log of the proxy if it exits
 */
export async function startLiteLlm(home: string, env: Record<string, string>): Promise<LiteLlm> {
  const python = await installAdapter(EXAMPLE);
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const proxy = spawn(join(EXAMPLE, 'start.sh'), {
    cwd: home,
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      PORT: String(port),
      LITELLM: join(dirname(python), 'litellm'),
      LITELLM_MASTER_KEY: MASTER_KEY,
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      LITELLM_TELEMETRY: 'False',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const output of [proxy.stdout, proxy.stderr]) output.on('data', (part: Buffer) => (log += String(part)));
  const isUp = () =>
    fetch(`${url}/health/liveliness`).then(
      ({ ok }) => ok,
      () => {
        if (proxy.exitCode !== null) throw new Error(log);
        return false;
      },
    );
  await eventually(isUp, { timeoutMs: START_MS, pollMs: 250 }).catch(async (error: unknown) => {
    await end(proxy);
    throw error;
  });
  return { url, key: MASTER_KEY, pid: proxy.pid ?? 0, stop: () => end(proxy) };
}

async function end(proxy: ChildProcess): Promise<void> {
  if (proxy.exitCode === null && proxy.kill('SIGKILL')) await once(proxy, 'exit');
}

/** For a server that prints no port that it has chosen itself. */
export async function findFreePort(): Promise<number> {
  const probe = createServer();
  const port = await listenLocally(probe);
  probe.close();
  return port;
}

/** Returns the port. */
export async function listenLocally(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on TCP
  return (server.address() as AddressInfo).port;
}
