// A worker that adds its number to a memory `rounds` times by compare-and-set, each as its own run, like a second
// process on the same file.
import { workerData } from 'node:worker_threads';
import { z } from 'zod';
import { openSqliteMemoryStore } from '../stores/sqlite/sqlite-memory-store.ts';

const { path, worker, rounds } = z
  .object({ path: z.string(), worker: z.number(), rounds: z.number() })
  .parse(workerData);
const store = openSqliteMemoryStore({ path });
const owner = { tenant: 'default', key: 'counter' };

for (let round = 0; round < rounds; round++) {
  for (;;) {
    const { memory, version } = await store.read(owner);
    const next = { count: Number(memory?.['count'] ?? 0) + 1 };
    const run = { runId: `${worker}-${round}`, epoch: 1 };
    const { outcome } = await store.compareAndSet({ owner, run, version, memory: next });
    if (outcome === 'written') break;
  }
}
await store.close();
