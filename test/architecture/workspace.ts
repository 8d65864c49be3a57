// Reads the workspace from disk: its packages, and the sources that the compiler reads (tsconfig.json's `include`), so
// that type checks and these checks cover the same files.
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

/** A file's path from the root, with slashes, and its text. */
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

/** Packages outside of the workspace: their packages are installed separately. */
const OUTSIDE: readonly string[] = ['test/reference', 'test/durable', 'console'];

/** Lists every folder, one or two levels deep, with a package.json of the workspace. */
export function readPackages(): Package[] {
  const manifests = find(['*/package.json', '*/*/package.json']);
  return manifests
    .filter((path) => !OUTSIDE.includes(dirname(path)))
    .map((path) => {
      const manifest = manifestSchema.parse(JSON.parse(readTracked(path)));
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

/** Returns the sources of the console's pages, which no package of the workspace imports. */
export function readConsole(): Source[] {
  return find(['console/src/**/*.{ts,tsx}'])
    .filter((path) => !/\.test\.tsx?$/.test(path))
    .map((path) => ({ path, text: readTracked(path) }));
}

export function readSources(): Source[] {
  const { include } = tsconfigSchema.parse(JSON.parse(readTracked('tsconfig.json')));
  const patterns = include.map((entry) => (entry.endsWith('.ts') ? entry : `${entry}/**/*.ts`));
  return find(patterns)
    .filter((path) => !OUTSIDE.some((dir) => path.startsWith(`${dir}/`)))
    .map((path) => ({ path, text: readTracked(path) }));
}

/** Returns all Markdown pages. */
export function readPages(): Source[] {
  return find(['*.md', '*/*.md', '*/*/*.md', '*/*/*/*.md']).map((path) => ({ path, text: readTracked(path) }));
}

/** Returns the package of a file, or undefined for files of the root. */
export function findPackage(path: string, packages: readonly Package[]): Package | undefined {
  return packages.find(({ dir }) => path.startsWith(`${dir}/`));
}

/** Paths from the root, with slashes, sorted, without node_modules. */
function find(patterns: readonly string[]): string[] {
  return globSync(patterns, { cwd: root, exclude: (path) => path.split(sep).includes('node_modules') })
    .map((path) => path.replaceAll(sep, '/'))
    .toSorted();
}

export function readTracked(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
