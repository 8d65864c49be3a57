// Finds every processor that a service of the workspace defines, with its definition and docstring. Reads the sources,
// so that none is missed; creates the definitions without stores and models, which only a run needs.
import { globSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeProcessor, type ProcessorDefinition } from '@millrace/testkit/in-process';
import { z } from 'zod';
import { declaredIn, type Docstring } from './docstring.ts';

export type FoundProcessor = {
  service: string;
  /** Path of its source, from the root. */
  path: string;
  definition: ProcessorDefinition;
  descriptor: ReturnType<typeof describeProcessor>;
  docstring: Docstring | undefined;
};

const root = resolve(import.meta.dirname, '../..');
const definitionSchema = z.custom<ProcessorDefinition>(
  (value) => z.looseObject({ id: z.string(), create: z.function() }).safeParse(value).success,
);
const factorySchema = z.custom<(dependencies: object) => unknown>((value) => typeof value === 'function');

/** Sorted by id. @throws if a definition cannot be created without its dependencies */
export async function findProcessors(): Promise<FoundProcessor[]> {
  const paths = globSync('services/*/src/**/*.ts', { cwd: root })
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => !/\.test\.ts$|\/testing\//.test(path));
  const found = await Promise.all(paths.map(loadProcessors));
  return found.flat().toSorted((a, b) => (a.definition.id < b.definition.id ? -1 : 1));
}

async function loadProcessors(path: string): Promise<FoundProcessor[]> {
  const source = readFileSync(join(root, path), 'utf8');
  if (!source.includes('defineProcessor(')) return [];
  const declared = declaredIn(source);
  if (declared.length === 0)
    throw new Error(`${path}: defineProcessor() stands in no "export const", so no page can be written of it.`);
  const module: Record<string, unknown> = await import(pathToFileURL(join(root, path)).href);
  return declared.map(({ name, docstring }) => {
    const exported = module[name];
    const factory = factorySchema.safeParse(exported);
    const definition = definitionSchema.parse(factory.success ? factory.data({}) : exported);
    const [, service = ''] = path.split('/');
    return { service, path, definition, descriptor: describeProcessor(definition), docstring };
  });
}
