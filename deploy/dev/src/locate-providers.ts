// Finds the file of model providers for the services, which may have another working directory, and the variables that it names.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { StackEnvironment } from './backing-servers.ts';
import { PROVIDER_FILE } from './service-table.ts';

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)/g;

/** A file that cannot be read names no variables: each service reports it. */
export async function locateProviders(env: StackEnvironment): Promise<{ env: StackEnvironment; variables: string[] }> {
  const path = env[PROVIDER_FILE];
  if (!path) return { env: {}, variables: [] };
  const file = resolve(path);
  const text = await readFile(file, 'utf8').catch(() => '');
  return { env: { [PROVIDER_FILE]: file }, variables: [...text.matchAll(REFERENCE)].map(([, name = '']) => name) };
}
