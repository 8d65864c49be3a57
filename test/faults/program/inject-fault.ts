// Injects a fault and repairs it. Resolves when everything is available again.
import { setTimeout as delay } from 'node:timers/promises';
import type { Run } from '@millrace/client';
import { writableFiles } from '@millrace/testkit/bench';
import type { CutMode, CutProxy } from './cut-proxy.ts';
import type { InjectedFault } from './faults.ts';
import type { SeededRandom } from './random.ts';
import { SERVICE_ROLES, type Replicas } from './replicas.ts';
import { fillNats, limitRedis, writableRedis, type StruckServer } from './servers.ts';

export type Targets = { replicas: Replicas; nats: StruckServer; redis: StruckServer; clientProxy: CutProxy };

/** Longer than the ack wait: a stopped process continues after its runs have another owner. ms */
const STOPPED_MS = 25_000;
const CUT_MS = [200, 9_000] as const;
const DOWN_MS = [0, 3_000] as const;
const OUTAGE_MS = [1_000, 20_000] as const;
const FULL_MS = 5_000;
const CANCEL_WITHIN_MS = 800;

export async function strike(
  { strike: how }: InjectedFault,
  { replicas, nats, redis, clientProxy }: Targets,
  random: SeededRandom,
  inFlight: readonly Run[],
): Promise<void> {
  switch (how.kind) {
    case 'control':
    case 'nothing':
      return;
    case 'cancel':
      await Promise.all(
        inFlight.map(async (run) => {
          await delay(random.pickBetween(0, CANCEL_WITHIN_MS));
          // A run that already ended is not cancelled.
          await run.cancel().catch(() => undefined);
        }),
      );
      return;
    case 'redis-full':
      await limitRedis(redis.port(), 1);
      await delay(FULL_MS);
      return limitRedis(redis.port(), 0);
    case 'redis-read-only':
      await writableRedis(redis.port(), false);
      await delay(FULL_MS);
      return writableRedis(redis.port(), true);
    case 'nats-outage':
      return strikeServer(nats, 'kill', random.pickBetween(...OUTAGE_MS));
    case 'nats-full': {
      const empty = await fillNats(nats.url());
      await delay(FULL_MS);
      return empty();
    }
    case 'nats-read-only':
      writableFiles(nats.pid(), false);
      await delay(FULL_MS);
      writableFiles(nats.pid(), true);
      return strikeServer(nats, 'term', 0);
    case 'roll':
      for (const replica of replicas.listReplicas(how.role)) {
        process.kill(replica.pid, 'SIGTERM');
        await replica.startAgain();
      }
      return;
    case 'storm': {
      const all = SERVICE_ROLES.flatMap((role) => replicas.listReplicas(role));
      for (const { pid } of all) process.kill(pid, 'SIGKILL');
      await delay(random.pickBetween(...DOWN_MS));
      await Promise.all(all.map((replica) => replica.startAgain()));
      return;
    }
    case 'client-cut':
      return cutOff(clientProxy, how.mode, random);
    case 'cut': {
      const [first, ...others] = replicas.listReplicas(how.role);
      if (!first) throw new Error(`there is no ${how.role}`);
      return cutOff(random.pick([first, ...others]).proxy, how.mode, random);
    }
    case 'process': {
      const { role, blow } = how;
      const downMs = random.pickBetween(...DOWN_MS);
      if (role === 'nats' || role === 'redis') return strikeServer(role === 'nats' ? nats : redis, blow, downMs);
      const [first, ...others] = replicas.listReplicas(role);
      if (!first) throw new Error(`there is no ${role}`);
      const victim = random.pick([first, ...others]);
      if (blow === 'stop') return stopFor(victim.pid);
      process.kill(victim.pid, blow === 'kill' ? 'SIGKILL' : 'SIGTERM');
      await delay(downMs);
      return victim.startAgain();
    }
  }
}

async function cutOff(proxy: CutProxy, mode: CutMode, random: SeededRandom): Promise<void> {
  proxy.cutConnections(mode);
  await delay(random.pickBetween(...CUT_MS));
  proxy.restore();
}

async function strikeServer(server: StruckServer, blow: 'kill' | 'stop' | 'term', downMs: number): Promise<void> {
  if (blow === 'stop') return stopFor(server.pid());
  await server.end(blow);
  await delay(downMs);
  await server.startAgain();
}

async function stopFor(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  try {
    await delay(STOPPED_MS);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}
