// Finds the origin of the command: a checkout of the repository, or the published package. `millrace new` takes the Python
// helper and the versions of dependencies from it.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

export type Origin = { kind: 'checkout'; root: string } | { kind: 'package'; root: string };
/** Versions that a new package names. */
export type ScaffoldVersions = { zod: string; '@types/node': string; node: string; typescript: string };

const PACKAGE = resolve(import.meta.dirname, '../..');
const CHECKOUT = resolve(PACKAGE, '../..');
/** A project that installed the package can have a pnpm workspace, too, but not this folder. */
const OF_CHECKOUT = ['pnpm-workspace.yaml', 'shared/cli/bin/millrace.mjs'];

export function findOrigin(): Origin {
  const isCheckout = OF_CHECKOUT.every((file) => existsSync(join(CHECKOUT, file)));
  return isCheckout ? { kind: 'checkout', root: CHECKOUT } : { kind: 'package', root: PACKAGE };
}

/** Reads a file of the Python example. */
export function readPythonFile({ kind, root }: Origin, name: string): Promise<string> {
  return readFile(join(root, kind === 'checkout' ? 'examples/python' : 'assets', name), 'utf8');
}

const versionsSchema = z.record(z.string(), z.string());
const scaffoldSchema = z.object({
  zod: z.string(),
  '@types/node': z.string(),
  node: z.string(),
  typescript: z.string(),
});

export async function readScaffoldVersions({ kind, root }: Origin): Promise<ScaffoldVersions> {
  const read = (name: string) => readFile(join(root, name), 'utf8');
  const manifest: unknown = JSON.parse(await read('package.json'));
  if (kind === 'package') return z.object({ scaffold: scaffoldSchema }).parse(manifest).scaffold;
  const { catalog } = z.object({ catalog: versionsSchema }).parse(parse(await read('pnpm-workspace.yaml')));
  const { devDependencies } = z.object({ devDependencies: versionsSchema }).parse(manifest);
  return scaffoldSchema.parse({ ...catalog, node: devDependencies['node'], typescript: devDependencies['typescript'] });
}

/** Version of the published packages, all of which are released together. */
export async function readPackageVersion({ root }: Origin): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return z.object({ version: z.string() }).parse(manifest).version;
}
