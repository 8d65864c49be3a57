// Runs once, before the first worker: finds or fetches the servers, so that workers do not all fetch into a cold cache, and starts those
// that all files share. A missing server is reported in one line; the tests that need it skip with the reason.
// The temporary files of all workers have one folder, which is removed after the last worker.
import { findNats, findRedis } from '@millrace/servers';
import type { TestProject } from 'vitest/node';
import { COMPILE_CACHE, limitCompileCache } from '../run/compile-cache.ts';
import { openRunFolder } from './run-folder.ts';
import { provideServers } from './run-servers.ts';

/** Resolves with the function to call after the last worker. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const programs = { 'nats-server': await findNats(), 'redis-server': await findRedis() };
  for (const [name, found] of Object.entries(programs)) {
    if (found.kind === 'unavailable') process.stderr.write(`${name} cannot be had here: ${found.reason}\n`);
  }
  limitCompileCache(COMPILE_CACHE);
  const closeRunFolder = openRunFolder(process.env);
  const { servers, stop } = await provideServers(process.env);
  project.provide('servers', servers);
  return async () => {
    await stop();
    closeRunFolder();
  };
}
