// Checks whether a new processor or tool can have a name. In this workspace the name is used by a package,
// a docs page and an id on the bus; none of them may be overwritten or become ambiguous.
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ScaffoldKind } from './scaffold.ts';

const MANIFESTS = ['package.json', '{shared,services,deploy,examples}/*/package.json', 'test/package.json'];
/** Definitions in tests serve no ids. */
const SOURCES = 'services/*/src/**/!(*.test).ts';
const nameSchema = z.object({ name: z.string().optional() });

/** Applies to every folder, in TypeScript. @returns the problem in words, or undefined */
export function findFileNameProblem(id: string): string | undefined {
  return id.toLowerCase() === 'main' ? 'main.ts is the name of its program' : undefined;
}

/** @param id also the name of its service, package and folder. @returns the problem in words, or undefined */
export async function findWorkspaceNameProblem(
  checkout: string,
  kind: ScaffoldKind,
  id: string,
): Promise<string | undefined> {
  if (!/^[a-z]/.test(id)) return 'a package name starts with a lower-case letter';
  const readCheckoutFile = (file: string): Promise<string> => readFile(join(checkout, file), 'utf8');
  for (const file of globSync(MANIFESTS, { cwd: checkout })) {
    const { name } = nameSchema.parse(JSON.parse(await readCheckoutFile(file)));
    if (name?.toLowerCase() === `@millrace/${id.toLowerCase()}`)
      return `a package of this workspace has this name (${file})`;
  }
  const [definer, member] = kind === 'processor' ? ['defineProcessor(', 'id'] : ['defineTool(', 'name'];
  for (const file of globSync(SOURCES, { cwd: checkout })) {
    const source = await readCheckoutFile(file);
    if (source.includes(definer) && source.includes(`${member}: '${id}'`)) return `a ${kind} has it (${file})`;
  }
  return undefined;
}
