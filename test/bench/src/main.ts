// npm run -s bench -- --json FILE [--only NAME]: measures on this machine, everything local, each row against a baseline of the
// same run. Figures are for comparing, never asserted.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startNats, startStack } from '@millrace/testkit/bench';
import type { Row } from './measure.ts';
import { rows } from './rows.ts';

const { values } = parseArgs({ options: { json: { type: 'string' }, only: { type: 'string' } } });
const names = Object.keys(rows).filter(
  (name) => values.only === undefined || name === values.only || name.startsWith(`${values.only}-`),
);
if (names.length === 0) {
  console.error(`There is no row "${values.only}". The rows are ${Object.keys(rows).join(', ')}.`);
  process.exit(1);
}
const dir = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
const nats = await startNats({ storeDir: dir, log: (line) => console.error(line) });
const needsServices = names.some((name) => name === 'runs-16' || name === 'paced-64');
const services = ['orchestrator', 'guardrails', 'tools', 'message-history', 'semantic-recall', 'working-memory'];
const env = {
  LOG_LEVEL: 'warn',
  MODEL: 'openai-chat/stand-in',
  EMBEDDING_MODEL: 'openai/hashed-ngram',
  SQLITE_PATH: join(dir, 'memory.db'),
};
const stack = await startStack({ natsUrl: nats.url, services: needsServices ? services : [], env });
const measured: Row[] = [];
try {
  for (const name of names) {
    console.error(`measuring ${name}`);
    const row = await rows[name]?.({ natsUrl: nats.url, natsPid: nats.pid, stack });
    if (row) measured.push(row);
    console.error(JSON.stringify(row));
  }
} finally {
  await stack.stop();
  await nats.stop();
  await rm(dir, { recursive: true, force: true });
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
process.exit();
