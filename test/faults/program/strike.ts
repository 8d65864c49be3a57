// Strikes, and mends what was struck. Resolves when everything is there again.
import { setTimeout as delay } from 'node:timers/promises';
import type { Run } from '@millrace/client';
import type { Fault } from './faults.ts';
import type { Random } from './random.ts';
import type { Replicas } from './replicas.ts';
import { limitRedis, type StruckServer } from './servers.ts';

export type Targets = { replicas: Replicas; nats: StruckServer; redis: StruckServer };

/** Longer than the ack wait: what was stopped comes back when its runs have another owner. ms */
const STOPPED_MS = 25_000;
const CUT_MS = [200, 9_000] as const;
const DOWN_MS = [0, 3_000] as const;
const FULL_MS = 5_000;
const CANCEL_WITHIN_MS = 800;

export async function strike(
  { strike: how }: Fault,
  { replicas, nats, redis }: Targets,
  random: Random,
  inFlight: readonly Run[],
): Promise<void> {
  switch (how.kind) {
    case 'control':
    case 'nothing':
      return;
    case 'cancel':
      await Promise.all(
        inFlight.map(async (run) => {
          await delay(random.between(0, CANCEL_WITHIN_MS));
          // A run that has ended meanwhile is not cancelled any more.
          await run.cancel().catch(() => undefined);
        }),
      );
      return;
    case 'redis-full':
      await limitRedis(redis.port(), 1);
      await delay(FULL_MS);
      return limitRedis(redis.port(), 0);
    case 'cut': {
      const [first, ...others] = replicas.of(how.role);
      if (!first) throw new Error(`there is no ${how.role}`);
      const { proxy } = random.pick([first, ...others]);
      proxy.cut(how.mode);
      await delay(random.between(...CUT_MS));
      return proxy.restore();
    }
    case 'process': {
      const { role, blow } = how;
      const downMs = random.between(...DOWN_MS);
      if (role === 'nats' || role === 'redis') return strikeServer(role === 'nats' ? nats : redis, blow, downMs);
      const [first, ...others] = replicas.of(role);
      if (!first) throw new Error(`there is no ${role}`);
      const victim = random.pick([first, ...others]);
      if (blow === 'stop') return stopFor(victim.pid);
      process.kill(victim.pid, blow === 'kill' ? 'SIGKILL' : 'SIGTERM');
      await delay(downMs);
      return victim.startAgain();
    }
  }
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
