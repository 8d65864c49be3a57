// The workspace as it lies on the disk: its packages, and the sources that the compiler looks at (tsconfig.json's `include`),
// so that what is type-checked and what is checked here are the same files.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { z } from 'zod';

export const root = join(import.meta.dirname, '../..');

export type Package = {
  /** As in its package.json. */
  name: string;
  /** From the root, with slashes. */
  dir: string;
  dependencies: string[];
  devDependencies: string[];
  /** Subpaths: `.`, `./bench`. */
  exports: string[];
};

/** A file's path from the root, with slashes, and what it holds. */
export type Source = { path: string; text: string };

const namedVersions = z.record(z.string(), z.string()).default({});
const manifestSchema = z.object({
  name: z.string(),
  dependencies: namedVersions,
  devDependencies: namedVersions,
  optionalDependencies: namedVersions,
  peerDependencies: namedVersions,
  exports: z.record(z.string(), z.string()).default({}),
});
const tsconfigSchema = z.object({ include: z.array(z.string()) });

/** Packages that are none of the workspace's: what others compare with is installed apart, and only when it is asked for. */
const OUTSIDE: readonly string[] = ['test/reference'];

/** Every folder, one or two levels down, that has a package.json and is of the workspace. */
export function readPackages(): Package[] {
  const manifests = find(['*/package.json', '*/*/package.json']);
  return manifests
    .filter((path) => !OUTSIDE.includes(dirname(path)))
    .map((path) => {
      const manifest = manifestSchema.parse(JSON.parse(read(path)));
      return {
        name: manifest.name,
        dir: dirname(path),
        dependencies: [manifest.dependencies, manifest.optionalDependencies, manifest.peerDependencies].flatMap(
          Object.keys,
        ),
        devDependencies: Object.keys(manifest.devDependencies),
        exports: Object.keys(manifest.exports),
      };
    });
}

export function readSources(): Source[] {
  const { include } = tsconfigSchema.parse(JSON.parse(read('tsconfig.json')));
  const patterns = include.map((entry) => (entry.endsWith('.ts') ? entry : `${entry}/**/*.ts`));
  return find(patterns)
    .filter((path) => !OUTSIDE.some((dir) => path.startsWith(`${dir}/`)))
    .map((path) => ({ path, text: read(path) }));
}

/** The package that a file belongs to. Nothing for the files of the root itself. */
export function packageOf(path: string, packages: readonly Package[]): Package | undefined {
  return packages.find(({ dir }) => path.startsWith(`${dir}/`));
}

/** Paths from the root, with slashes, in order; nothing of node_modules. */
function find(patterns: readonly string[]): string[] {
  return globSync(patterns, { cwd: root, exclude: (path) => path.split(sep).includes('node_modules') })
    .map((path) => path.replaceAll(sep, '/'))
    .toSorted();
}

export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
