// Converts the manifest of a workspace package to that of the published package.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { NODE_RANGE, PUBLISHED_NAMES, type PackageFolder } from './package-list.ts';

const versionsSchema = z.record(z.string(), z.string());
const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  license: z.string(),
  exports: versionsSchema,
  bin: versionsSchema.optional(),
  dependencies: versionsSchema,
});
export type PublicManifest = z.output<typeof publicManifestSchema>;
const publicManifestSchema = z.looseObject({ name: z.string(), version: z.string(), dependencies: versionsSchema });

/** Versions of the workspace: the catalog of pnpm, and the tools at the root. */
export type WorkspaceVersions = { catalog: Readonly<Record<string, string>>; tools: Readonly<Record<string, string>> };

export async function readVersions(checkout: string): Promise<WorkspaceVersions> {
  const read = (name: string) => readFile(join(checkout, name), 'utf8');
  const { catalog } = z.object({ catalog: versionsSchema }).parse(parse(await read('pnpm-workspace.yaml')));
  const { devDependencies } = z
    .object({ devDependencies: versionsSchema })
    .parse(JSON.parse(await read('package.json')));
  return { catalog, tools: devDependencies };
}

/**
 * Replaces pnpm's catalog and workspace references by versions for npm, and sources by built files.
 * @throws Error if a dependency has no version
 */
export async function createPublicManifest(
  checkout: string,
  folder: PackageFolder,
  versions: WorkspaceVersions,
): Promise<PublicManifest> {
  const text = await readFile(join(checkout, 'shared', folder, 'package.json'), 'utf8');
  const { name, version, description, license, exports, bin, dependencies } = manifestSchema.parse(JSON.parse(text));
  const toVersion = ([dependency, range]: [string, string]): [string, string] => {
    if (range.startsWith('workspace:')) return [dependency, version];
    const found = range === 'catalog:' ? versions.catalog[dependency] : range;
    if (found === undefined) throw new Error(`${name}: the catalog has no version of ${dependency}.`);
    // An alias is published as it is: npm reads it, too.
    return [dependency, found];
  };
  return publicManifestSchema.parse({
    name: PUBLISHED_NAMES[folder] ?? name,
    version,
    description,
    license,
    type: 'module',
    files: ['src', ...(folder === 'cli' ? ['assets'] : [])],
    exports: Object.fromEntries(Object.entries(exports).map(([path, file]) => [path, toBuiltExport(file)])),
    ...(bin && { bin: Object.fromEntries(Object.entries(bin).map(([command]) => [command, 'src/main.js'])) }),
    engines: { node: NODE_RANGE },
    dependencies: Object.fromEntries(Object.entries(dependencies).map(toVersion)),
    // `millrace new` writes these versions into a new package.
    ...(folder === 'cli' && { scaffold: createScaffoldVersions(versions) }),
  });
}

const toBuiltExport = (file: string) => ({
  types: file.replace(/\.ts$/, '.d.ts'),
  default: file.replace(/\.ts$/, '.js'),
});

const createScaffoldVersions = ({ catalog, tools }: WorkspaceVersions) => ({
  zod: catalog['zod'],
  '@types/node': catalog['@types/node'],
  node: tools['node'],
  typescript: tools['typescript'],
});
