// Cost of a run's followers for the publisher.
import { connectBus, type Bus } from '@millrace/testkit/bench';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Measure } from '../bench-context.ts';
import { median } from '../load.ts';
import { round, row } from '../measure.ts';

const CONNECTIONS = 100;
/** Messages per second: 10,000 followers receive 20,000. */
const RATE = 2;
const MESSAGES = 30;
const subject = 'bench.followed';

export const followers: Measure = async ({ natsUrl }) => {
  const bus = await connectBus({ servers: natsUrl, name: 'bench-publisher' });
  const p50: Record<number, number> = {};
  for (const count of [1, 100, 10_000]) {
    const env = { PATH: process.env['PATH'] ?? '', NATS_URL: natsUrl, SUBJECT: subject };
    const child = spawn(process.execPath, [resolve(import.meta.dirname, '../follower.ts')], {
      env: { ...env, CONNECTIONS: String(Math.min(count, CONNECTIONS)), FOLLOWERS: String(count) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    p50[count] = await publishing(bus);
    child.kill();
    await once(child, 'exit');
  }
  await bus.close();
  return row('followers', 'ms a publish, p50, 10,000 followers', p50[10_000] ?? 0, p50[1] ?? 0, {
    hundred: round(p50[100] ?? 0),
    perSecond: RATE,
  });
};

/** Measures from the publish to the server's receipt. */
async function publishing(bus: Bus): Promise<number> {
  const payload = Buffer.from(JSON.stringify({ epoch: 1, index: 0, chunks: [{ type: 'text-delta' }] }));
  const ms: number[] = [];
  for (let count = 0; count < MESSAGES; count += 1) {
    const begun = performance.now();
    bus.nc.publish(subject, payload);
    await bus.nc.flush();
    ms.push(performance.now() - begun);
    await delay(1_000 / RATE);
  }
  return median(ms);
}
