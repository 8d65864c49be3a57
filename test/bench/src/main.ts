// npm run -s bench -- --json FILE [--table FILE.md] [--page FILE.md] [--only NAME,NAME]: measures on this machine, all
// services local, each row against a baseline of the same run. Figures are for comparison and never asserted. The rows
// `reference` and `noisy-tenant` and those with LiteLLM run only if named. --page: a page that receives the guards' tables.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createBusUsers, startNats, startRedis, startStack } from '@millrace/testkit/bench';
import { replaceGuardTables } from './guard-table.ts';
import type { BenchRow } from './measure.ts';
import { requestedRows, rows } from './rows.ts';
import { formatTable } from './table.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    table: { type: 'string' },
    page: { type: 'string' },
    only: { type: 'string' },
  },
});
const only = values.only?.split(',');
const all = { ...rows, ...requestedRows };
/** A row, or all rows with this prefix. */
const selectRows = (name: string) => Object.keys(all).filter((row) => row === name || row.startsWith(`${name}-`));
const names = only ? [...new Set(only.flatMap(selectRows))] : Object.keys(rows);
const unknown = only?.filter((name) => selectRows(name).length === 0) ?? [];
if (unknown.length > 0) {
  console.error(`There is no row "${unknown.join('", "')}". The rows are ${Object.keys(all).join(', ')}.`);
  process.exit(1);
}
const dir = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
const log = (line: string) => console.error(line);
// The services have the permissions of production.
const { keys, config: extraConfig } = await createBusUsers();
const nats = await startNats({ storeDir: join(dir, 'nats'), log, extraConfig });
const redis = await startRedis({ dataDir: await mkdtemp(join(dir, 'redis-')), log });
if (redis.kind !== 'running') log(`no Redis: ${redis.reason}`);
const env = {
  LOG_LEVEL: 'warn',
  MODEL: 'openai-chat/stand-in',
  EMBEDDING_MODEL: 'openai/hashed-ngram',
  SQLITE_PATH: join(dir, 'memory.db'),
  ...(redis.kind === 'running' && { REDIS_URL: redis.url }),
};
const stack = await startStack({ natsUrl: nats.url, keys, services: [], env });
const context = {
  natsUrl: nats.url,
  natsPid: nats.pid,
  dir,
  stack,
  ...(redis.kind === 'running' && { redisUrl: redis.url, redisPid: redis.pid }),
};
const measured: BenchRow[] = [];
/** Load averages, because a busy machine has higher figures. */
const loads: number[] = [];
try {
  for (const name of names) {
    console.error(`measuring ${name}`);
    const row = await all[name]?.(context);
    loads.push(loadavg()[0] ?? 0);
    if (row) measured.push(row);
    console.error(JSON.stringify(row));
  }
} finally {
  await stack.stop();
  await nats.stop();
  if (redis.kind === 'running') await redis.stop();
  for (const made of [dir, keys]) await rm(made, { recursive: true, force: true });
}
const [cpu] = cpus();
const machine = {
  cpus: cpus().length,
  model: cpu?.model ?? 'unknown',
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version,
};
const report = JSON.stringify({ machine, rows: measured }, null, 2);
if (values.json === undefined) console.log(report);
else await writeFile(values.json, `${report}\n`);
if (values.table !== undefined) await writeFile(values.table, formatTable(measured));
if (values.page !== undefined) {
  const load = Math.max(...loads).toFixed(1);
  const on = `${machine.model}, ${machine.cpus} cores, Node ${machine.node}, load ${load} at most.`;
  await writeFile(values.page, replaceGuardTables(await readFile(values.page, 'utf8'), measured, on));
}
process.exit();
