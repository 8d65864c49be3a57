// One stack for the files of a worker that only submit runs to it: a file that kills, signals or configures a service starts its own with
// useStack. Agents, runs and the replicas of earlier files remain in it, so a file applies the agents that it uses. It ends with the worker.
import { connect, type Client } from '@millrace/client';
import { afterAll, beforeAll } from 'vitest';
import { takeNats } from '../servers/nats-pool.ts';
import type { ServiceHost } from './service-host.ts';
import { useServiceHost } from './stack.ts';
import { startStack } from './start-stack.ts';

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
type StackAddress = { url: string; keys: string; modelUrl: string };
type RunningStack = { address: StackAddress; host: ServiceHost };

declare global {
  /** A worker evaluates this module once for each file, and starts one stack. */
  var millraceSharedStack: Promise<RunningStack> | undefined;
}

/** Registers the hooks of a test file that uses the worker's stack of orchestrator, guardrails, tools and dev-model. Call it first. */
export function useSharedStack(): SharedStack {
  let opened: { address: StackAddress; client: Client } | undefined;
  const running = () => {
    if (!opened) throw new Error('useSharedStack: the stack is available only while the tests run');
    return opened;
  };
  beforeAll(async () => {
    const former = await globalThis.millraceSharedStack?.catch(() => undefined);
    const { address } = former?.host.isAlive() ? former : await (globalThis.millraceSharedStack = start());
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

/** Starts the services in the host of the worker. They log nothing, so that the logs of the host are those of the other stacks. */
async function start(): Promise<RunningStack> {
  const { server, users } = await takeNats();
  const host = useServiceHost();
  const options = { natsUrl: server.url, keys: users.keys, services: SERVICES, host };
  const stack = await startStack({ ...options, env: { LOG_LEVEL: 'silent' } });
  // The leak check counts connections that outlive a file.
  await stack.leave();
  return { address: { url: server.url, keys: users.keys, modelUrl: stack.modelUrl }, host };
}
