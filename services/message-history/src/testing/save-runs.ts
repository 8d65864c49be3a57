// A process that saves consecutive runs on one thread of an embedded store, and prints the id of each saved run.
// Arguments: path, tenant, prefix of the run ids, number of runs (absent: until it is killed).
import { openSqliteHistoryStore } from '../stores/sqlite/sqlite-history-store.ts';
import { block, messagesOfRun } from './history-fixtures.ts';

const [path = '', tenant = '', name = '', count = 'Infinity'] = process.argv.slice(2);
const store = openSqliteHistoryStore({ path });
for (let at = 0; at < Number(count); at += 1) {
  const runId = `${name}-${at}`;
  await store.saveBlock(block({ tenant, runId, messages: messagesOfRun(runId, 5) }));
  process.stdout.write(`${runId}\n`);
}
await store.close();
