// The registry of worker tasks. A guard's module defines its task when it is loaded, so a worker needs the module's path alone, and this
// folder imports no guard.
import { fileURLToPath } from 'node:url';
import { isAbsolute, relative } from 'node:path';
import { BoundExceeded, type Bound } from './bounds.ts';

/** The only folder from which a worker loads modules. */
const SOURCE = new URL('../', import.meta.url);

/** `module`: path of the defining module below the service's source folder, such as `guards/pii/find-pii.ts`. */
export type TaskDefinition<O, R> = { module: string; prepare: PrepareJudge<O, R> };

const definitions = new Map<string, TaskDefinition<never, unknown>>();

/**
 * Registers the task of a module. A module has at most one.
 * @param url the module's `import.meta.url`
 * @throws if the module is outside of the service's source folder, or has a task already
 */
export function defineTask<O, R>(url: string, prepare: PrepareJudge<O, R>): TaskDefinition<O, R> {
  const module = relative(fileURLToPath(SOURCE), fileURLToPath(url));
  if (resolveModuleUrl(module).href !== url)
    throw new Error(`A task's module is a source file of the guards, not ${url}.`);
  if (definitions.has(module)) throw new Error(`The module "${module}" has a task already.`);
  const definition = { module, prepare };
  definitions.set(module, definition);
  return definition;
}

/** Returns the paths of the modules that defined a task in this process. */
export const listTaskModules = (): string[] => [...definitions.keys()];

/**
 * Loads the module if this thread has not loaded it, and prepares its task.
 * @param options those that `createTask` got for this task
 * @throws if the path leaves the source folder, or its module defines no task
 */
export async function prepareTask(module: string, options: unknown): Promise<TaskJudge<unknown>> {
  const url = resolveModuleUrl(module);
  if (!definitions.has(module)) await import(url.href);
  const definition = definitions.get(module);
  if (!definition) throw new Error(`The module "${module}" defines no task.`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- createTask sends a task's own options along with its module
  return definition.prepare(options as never);
}

/** Resolves a path below the source folder. @throws for every other path, and for every URL */
function resolveModuleUrl(module: string): URL {
  const url = URL.canParse(module) || isAbsolute(module) ? undefined : new URL(module, SOURCE);
  const isInside = url?.href === `${SOURCE.href}${module}` && !module.split('/').includes('..');
  if (!url || !isInside || !/^[a-z\d/-]+\.ts$/.test(module))
    throw new Error(`A worker loads modules of the guards only, not "${module}".`);
  return url;
}

/** Returns the findings of each text. May throw BoundExceeded. */
export type TaskJudge<R> = (texts: readonly string[]) => R[];
/** Creates the judge for JSON options. Each thread creates its own. */
export type PrepareJudge<O, R> = (options: O) => TaskJudge<R>;
export type TaskOutcome<R> = { found: R[] } | { exceeded: Bound };
/** `module`: path of the task's module below the source folder. */
export type TaskRequest = { module: string; options: unknown; texts: readonly string[] };

export function runJudge<R>(judge: TaskJudge<R>, texts: readonly string[]): TaskOutcome<R> {
  try {
    return { found: judge(texts) };
  } catch (error) {
    if (error instanceof BoundExceeded) return { exceeded: error.bound };
    throw error;
  }
}
