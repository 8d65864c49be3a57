import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { describeHistoryStore } from '../../store/conformance/history-store.ts';
import { openSqliteHistoryStore } from './sqlite-history-store.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-history-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describeHistoryStore('SQLite', async () => openSqliteHistoryStore({ path: join(folder, 'made', 'history.db') }));
