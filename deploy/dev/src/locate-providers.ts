// Finds the files of model providers and of budgets for the services, which may have another working directory, and the variables that
// the former names.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { StackEnvironment } from './backing-servers.ts';
import { BUDGET_FILE, PROVIDER_FILE } from './service-table.ts';

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)/g;

/** A file that cannot be read names no variables: each service reports it. */
export async function locateProviders(env: StackEnvironment): Promise<{ env: StackEnvironment; variables: string[] }> {
  const [path, budgets] = [env[PROVIDER_FILE], env[BUDGET_FILE]];
  const located = budgets ? { [BUDGET_FILE]: resolve(budgets) } : {};
  if (!path) return { env: located, variables: [] };
  const file = resolve(path);
  const text = await readFile(file, 'utf8').catch(() => '');
  const variables = [...text.matchAll(REFERENCE)].map(([, name = '']) => name);
  return { env: { ...located, [PROVIDER_FILE]: file }, variables };
}
