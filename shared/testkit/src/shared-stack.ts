// One stack for the files of a worker that only submit runs to it: a file that kills, signals or configures a service starts its own with
// useStack. Agents, runs and the replicas of earlier files remain in it, so a file applies the agents that it uses.
import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { connect, type Client } from '@millrace/client';
import { afterAll, beforeAll } from 'vitest';
import { z } from 'zod';
import { inheritedEnv } from './inherited-env.ts';
import { exemptProcess } from './open-things.ts';

export type SharedStack = {
  /** Address of the stack's NATS server. */
  readonly url: string;
  /** Folder with the keys of the roles. */
  readonly keys: string;
  readonly client: Client;
  /** Address of the stand-in for the model provider, `/v1` included. */
  readonly modelUrl: string;
};

const SERVICES = ['orchestrator', 'guardrails', 'tools'];
const START_TIMEOUT_MS = 120_000;
const addressSchema = z.object({ url: z.string(), keys: z.string(), modelUrl: z.string() });
type StackAddress = z.infer<typeof addressSchema>;

declare global {
  /** A worker evaluates this module once for each file, and starts one stack. */
  var millraceSharedStack: Promise<StackAddress> | undefined;
}

/** Registers the hooks of a test file that uses the worker's stack of orchestrator, guardrails, tools and dev-model. Call it first. */
export function useSharedStack(): SharedStack {
  let opened: { address: StackAddress; client: Client } | undefined;
  const running = () => {
    if (!opened) throw new Error('useSharedStack: the stack is available only while the tests run');
    return opened;
  };
  beforeAll(async () => {
    const address = await (globalThis.millraceSharedStack ??= start());
    opened = { address, client: await connect({ url: address.url }) };
  }, START_TIMEOUT_MS);
  afterAll(() => opened?.client.close());
  return {
    get url() {
      return running().address.url;
    },
    get keys() {
      return running().address.keys;
    },
    get client() {
      return running().client;
    },
    get modelUrl() {
      return running().address.modelUrl;
    },
  };
}

/** @throws with the output of the process if it exits before its stack is up */
async function start(): Promise<StackAddress> {
  const main = fileURLToPath(new URL('./shared-stack-main.ts', import.meta.url));
  const { NATS_URL: _nats, ...env } = process.env;
  const child = spawn(process.execPath, [main, ...SERVICES], {
    env: { ...env, ...inheritedEnv() },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) exemptProcess(child.pid);
  const line = await readLine(child);
  // The worker exits although the process runs on; its stdin ends then.
  child.unref();
  for (const pipe of [child.stdin, child.stdout, child.stderr]) if (pipe instanceof Socket) pipe.unref();
  return addressSchema.parse(JSON.parse(line));
}

function readLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    let errors = '';
    child.stdout?.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      if (text.includes('\n')) resolve(text);
    });
    child.stderr?.setEncoding('utf8').on('data', (more: string) => (errors += more));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The shared stack exited with ${code}: ${errors}`)));
  });
}
