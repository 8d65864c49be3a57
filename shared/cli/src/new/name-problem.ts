// Why a new one cannot have a name: in this workspace a package, a row of a table, a page of the docs and an id on the bus are called so, and
// what is there already must neither be written over nor be found twice under one name.
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Kind } from './scaffold.ts';
import { IMPORT_TABLE } from './workspace-package.ts';

const MANIFESTS = ['package.json', '{shared,services,deploy,examples}/*/package.json', 'test/package.json'];
/** Those of tests serve nothing. */
const SOURCES = 'services/*/src/**/!(*.test).ts';
const nameSchema = z.object({ name: z.string().optional() });

/** Wherever it is written, in TypeScript. @returns in words; undefined: it can be had */
export function fileNameProblem(id: string): string | undefined {
  return id.toLowerCase() === 'main' ? 'its program is main.ts already' : undefined;
}

/** @param id its service's, package's and folder's too. @returns in words; undefined: it can be had */
export async function workspaceNameProblem(checkout: string, kind: Kind, id: string): Promise<string | undefined> {
  if (!/^[a-z]/.test(id)) return 'a package begins with a lower-case letter';
  const read = (file: string): Promise<string> => readFile(join(checkout, file), 'utf8');
  for (const file of globSync(MANIFESTS, { cwd: checkout })) {
    const { name } = nameSchema.parse(JSON.parse(await read(file)));
    if (name?.toLowerCase() === `@millrace/${id.toLowerCase()}`) return `a package of this workspace has it (${file})`;
  }
  if (new RegExp(`^ {2}'?${id}'?:`, 'm').test(await read(IMPORT_TABLE))) return `${IMPORT_TABLE} has a row of it`;
  const [definer, member] = kind === 'processor' ? ['defineProcessor(', 'id'] : ['defineTool(', 'name'];
  for (const file of globSync(SOURCES, { cwd: checkout })) {
    const source = await read(file);
    if (source.includes(definer) && source.includes(`${member}: '${id}'`)) return `a ${kind} has it (${file})`;
  }
  return undefined;
}
