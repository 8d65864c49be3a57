import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useBus, useNats } from '@millrace/testkit';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { openJetStream } from '../streams/jetstream-access.ts';
import { ensureTopology } from './topology.ts';

const storeDir = mkdtempSync(join(tmpdir(), 'millrace-limits-'));
afterAll(() => rm(storeDir, { recursive: true, force: true }));
const nats = useNats({ extraConfig: `jetstream { store_dir: ${JSON.stringify(storeDir)}, max_file_store: 1000GB }` });
const owner = useBus(nats, 'owner');

const jszSchema = z.object({
  reserved_storage: z.number(),
  account_details: z.array(
    z.object({ stream_detail: z.array(z.object({ config: z.object({ max_bytes: z.number() }) })) }),
  ),
});

async function readReservation() {
  const answer = await fetch(`${nats.monitorUrl}/jsz?accounts=1&streams=1&config=1`);
  const { reserved_storage: reserved, account_details: accounts } = jszSchema.parse(await answer.json());
  const limits = accounts.flatMap((one) => one.stream_detail).map(({ config }) => Math.max(0, config.max_bytes));
  return { reserved, limited: limits.reduce((sum, bytes) => sum + bytes, 0) };
}

test('Orchestrators that start at the same time let the server reserve the limits of the streams once', async () => {
  const opened = await Promise.all(Array.from({ length: 4 }, async () => openJetStream(await owner.connect())));
  await Promise.all(opened.map((one) => ensureTopology(one)));
  const { names } = owner.bus;
  const { jsm } = await openJetStream(owner.bus);
  for (let round = 0; round < 25; round += 1) {
    for (const name of [names.runs, names.chunks(0), names.events, names.changes]) {
      await jsm.streams.update(name, { max_bytes: -1 });
    }
    expect(await readReservation()).toEqual({ reserved: 0, limited: 0 });
    await Promise.all(opened.map((one) => ensureTopology(one)));
    const { reserved, limited } = await readReservation();
    expect(limited).toBe(4.25 * 1024 ** 3);
    expect(reserved).toBe(limited);
  }
});
