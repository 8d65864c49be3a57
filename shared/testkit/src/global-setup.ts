// Runs once, before the first worker: finds or fetches the servers, so that workers do not all fetch into a cold cache.
// A missing server is reported in one line; the tests that need it skip with the reason.
// The temporary files of all workers have one folder, which is removed after the last worker.
import { findNats, findRedis } from '@millrace/servers';
import { COMPILE_CACHE, limitCompileCache } from './compile-cache.ts';
import { startQdrantContainer } from './qdrant-container.ts';
import { openRunFolder } from './run-folder.ts';

/** Resolves with the function to call after the last worker. */
export async function setup(): Promise<() => Promise<void>> {
  const programs = { 'nats-server': await findNats(), 'redis-server': await findRedis() };
  for (const [name, found] of Object.entries(programs)) {
    if (found.kind === 'unavailable') process.stderr.write(`${name} cannot be had here: ${found.reason}\n`);
  }
  limitCompileCache(COMPILE_CACHE);
  const closeRunFolder = openRunFolder(process.env);
  const endQdrant = await provideQdrant();
  return async () => {
    await endQdrant();
    closeRunFolder();
  };
}

/** Workers inherit QDRANT_URL. */
async function provideQdrant(): Promise<() => Promise<void>> {
  if (process.env['QDRANT_URL']) return async () => undefined;
  const qdrant = await startQdrantContainer(process.env);
  if ('unavailable' in qdrant) {
    process.stderr.write(`Qdrant cannot be had here, its tests are skipped: ${qdrant.unavailable}\n`);
    return async () => undefined;
  }
  process.env['QDRANT_URL'] = qdrant.url;
  return async () => {
    delete process.env['QDRANT_URL'];
    await qdrant.stop();
  };
}
