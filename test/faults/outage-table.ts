// node test/faults/outage-table.ts [--seconds 1,6,11,14] [--orchestrators 1,2] [--runs 6]: counts the runs that an
// outage of NATS ends, by its length and the number of orchestrators, separately for runs with and without an open
// session of the output stream. Prints a row for each. Bounded: a point takes its outage plus less than a minute.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startNats, startStack } from '@millrace/testkit/bench';
import { measureOutage, type OutagePoint } from './measure-outage.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '1,6,11,14' },
    orchestrators: { type: 'string', default: '1,2' },
    runs: { type: 'string', default: '6' },
  },
});
const numbers = (list: string) => list.split(',').map(Number);

async function measure(point: OutagePoint) {
  const storeDir = await mkdtemp(join(tmpdir(), 'millrace-outage-'));
  let nats = await startNats({ storeDir });
  const port = Number(new URL(nats.url).port);
  const orchestrators = Array.from({ length: point.orchestrators }, () => 'orchestrator');
  const services = [...orchestrators, 'guardrails'];
  const stack = await startStack({ natsUrl: nats.url, services, env: { LOG_LEVEL: 'warn' } });
  try {
    return await measureOutage(stack.client, point, async () => {
      await nats.stop();
      await delay(point.seconds * 1_000);
      nats = await startNats({ storeDir, port });
    });
  } finally {
    await stack.stop();
    await nats.stop();
    await rm(storeDir, { recursive: true, force: true });
  }
}

process.stdout.write('| seconds | orchestrators | runs each | ended, no session | ended, open session | codes |\n');
process.stdout.write('|---|---|---|---|---|---|\n');
for (const orchestrators of numbers(values.orchestrators))
  for (const seconds of numbers(values.seconds)) {
    const runs = Number(values.runs);
    const { withoutSession, withSession, codes } = await measure({ seconds, orchestrators, runs });
    process.stdout.write(
      `| ${seconds} | ${orchestrators} | ${runs} | ${withoutSession} | ${withSession} | ${codes.join(', ')} |\n`,
    );
  }
process.exit();
