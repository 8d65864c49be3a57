// The complete system of the load, with nothing shared: NATS and Redis with their own stores, two orchestrators, two
// guardrails, one of each other service, and the agents of the load.
import { appendFileSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type Client } from '@millrace/client';
import { connectBus, startStack } from '@millrace/testkit/bench';
import { z } from 'zod';
import { startCutProxy } from './cut-proxy.ts';
import { readKey, readStored, type StoredState } from './remaining-data.ts';
import { startReplicas } from './replicas.ts';
import { startStruckNats, startStruckRedis } from './servers.ts';
import type { Targets } from './inject-fault.ts';
import { watchLive, type LiveWatch } from './watch-live.ts';

export type Rig = Targets & {
  client: Client;
  /** The same through `clientProxy`. */
  cutClient: Client;
  live: LiveWatch;
  ledger(): LedgerLine[];
  /** Returns the number of runs that orchestrators have claimed from others, by their logs. */
  countClaimed(): Promise<number>;
  readStored(): Promise<StoredState>;
  /** Describes the value of a key of the runs' state. */
  readKey(key: string): Promise<string>;
  stop(): Promise<void>;
};

const ledgerLineSchema = z.object({ tool: z.string(), key: z.string(), idempotencyKey: z.string().optional() });
type LedgerLine = z.infer<typeof ledgerLineSchema>;

const ROLES = ['orchestrator', 'orchestrator', 'guardrails', 'guardrails', 'ledger', 'message-history'] as const;
export const AGENT = 'faults';
/** Publishes no answer before its finish, which passes in the step's own sessions. */
export const UNJUDGED_AGENT = 'faults-unjudged';
/** Redacts nothing: the oracle must find the secrets that the guards remove otherwise. */
export const UNGUARDED_AGENT = 'faults-unguarded';

export async function startRig(): Promise<Rig> {
  const dir = await mkdtemp(join(tmpdir(), 'millrace-faults-'));
  const ledgerFile = join(dir, 'ledger.jsonl');
  appendFileSync(ledgerFile, '');
  const [nats, redis] = await Promise.all([startStruckNats(dir), startStruckRedis(dir)]);
  const env = { REDIS_URL: redis.url(), LEDGER: ledgerFile, LOG_LEVEL: 'warn' };
  const stack = await startStack({ natsUrl: nats.url(), services: [], env });
  const replicas = await startReplicas(stack, nats.port(), ROLES, env);
  const bus = await connectBus({ servers: nats.url(), name: 'faults' });
  const agent = {
    model: 'openai-chat/stand-in',
    flushMs: 0,
    tools: ['note', 'book', 'ask'],
    questions: ['ask'],
    input: ['content-length', 'prompt-injection'],
    memory: { lastMessages: 10 },
  };
  // The oracle's card numbers have no word of their kind near.
  const pii = { use: 'pii', options: { strict: true } };
  await stack.client.agents.apply({ ...agent, name: AGENT, output: ['content-length', pii] });
  await stack.client.agents.apply({ ...agent, name: UNJUDGED_AGENT, output: [pii] });
  await stack.client.agents.apply({ ...agent, name: UNGUARDED_AGENT, output: ['content-length'] });
  const live = watchLive(bus);
  const clientProxy = await startCutProxy(nats.port());
  const cutClient = await connect({ url: `nats://127.0.0.1:${clientProxy.port}` });
  return {
    client: stack.client,
    cutClient,
    clientProxy,
    live,
    replicas,
    nats,
    redis,
    ledger: () => readLines(ledgerFile),
    countClaimed: async () => countClaimed(await stack.log('orchestrator')),
    readStored: () => readStored(bus),
    readKey: (key) => readKey(bus, key),
    async stop() {
      live.stop();
      await Promise.all([bus.close(), cutClient.close()]);
      await clientProxy.close();
      await stack.stop();
      await replicas.close();
      await Promise.all([nats.end('term'), redis.end('term')]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const claimSchema = z.object({ msg: z.literal('a peer has left: its runs are requeued'), runs: z.number() });

function countClaimed(log: string): number {
  const lines = log.split('\n').filter((line) => line.includes('a peer has left'));
  return lines.reduce((sum, line) => sum + claimSchema.parse(JSON.parse(line)).runs, 0);
}

function readLines(file: string): LedgerLine[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.filter((line) => line !== '').map((line) => ledgerLineSchema.parse(JSON.parse(line)));
}
