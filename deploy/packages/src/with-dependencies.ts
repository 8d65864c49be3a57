// Adds the workspace packages that a package depends on.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { PACKAGES, type PackageFolder } from './package-list.ts';

const manifestSchema = z.object({ dependencies: z.record(z.string(), z.string()) });

/** @returns in dependency order */
export async function withDependencies(checkout: string, folders: readonly PackageFolder[]): Promise<PackageFolder[]> {
  const needed = new Set(folders);
  for (const folder of PACKAGES.toReversed()) {
    if (!needed.has(folder)) continue;
    const text = await readFile(join(checkout, 'shared', folder, 'package.json'), 'utf8');
    const { dependencies } = manifestSchema.parse(JSON.parse(text));
    for (const other of PACKAGES) if (dependencies[`@millrace/${other}`] !== undefined) needed.add(other);
  }
  return PACKAGES.filter((folder) => needed.has(folder));
}
