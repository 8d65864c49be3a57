// Finds problems in a package's dependencies and a file's imports, by the import table. Pure: takes packages and
// specifiers and returns sentences, so that the tests can plant a violation of every kind.
import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import { IMPORT_TABLE } from './import-table.ts';
import type { Package } from './workspace.ts';

const scope = '@millrace/';

export function manifestProblems(pkg: Package): string[] {
  const allowed = IMPORT_TABLE[shortName(pkg.name)];
  if (!allowed) return [`${pkg.dir}: "${pkg.name}" has no row in the import table.`];
  if (pkg.name !== scope + posix.basename(pkg.dir)) return [`${pkg.dir}: its name is not ${scope}<folder>.`];
  const wrong = (names: string[], also: string[]) =>
    names.filter((name) => name.startsWith(scope) && ![...allowed, ...also].includes(shortName(name)));
  return [
    ...wrong(pkg.dependencies, []).map((name) => `${pkg.dir}: ${name} may not be a dependency.`),
    ...wrong(pkg.devDependencies, ['testkit']).map((name) => `${pkg.dir}: ${name} may not be a devDependency.`),
  ];
}

/** `path` is relative to the root; `pkg` is the package of the file. */
export function importProblems(
  pkg: Package,
  path: string,
  specifiers: readonly string[],
  packages: readonly Package[],
): string[] {
  return specifiers.flatMap((specifier) => {
    const problem = findProblem(pkg, path, specifier, packages);
    return problem ? [`${path}: imports ${specifier}, ${problem}`] : [];
  });
}

function findProblem(pkg: Package, path: string, specifier: string, packages: readonly Package[]): string | undefined {
  const inTest = isTestSource(pkg, path);
  if (specifier.startsWith('.')) return findRelativeProblem(pkg, path, specifier, inTest);
  if (specifier.startsWith('node:')) return undefined;
  if (/^[/#]|^[a-z]+:/.test(specifier)) return 'which is neither a package nor a relative path.';
  if (builtinModules.includes(specifier)) return 'a module of Node without "node:".';
  const name = readPackageName(specifier);
  if (name.startsWith(scope)) {
    const problem = findScopedProblem(pkg, specifier, inTest, packages);
    if (problem) return problem;
  }
  // An image contains a package's `dependencies` without those of its tests.
  if (!inTest && !pkg.dependencies.includes(name)) return `and ${name} is not among its package's dependencies.`;
  return undefined;
}

function findRelativeProblem(pkg: Package, path: string, specifier: string, inTest: boolean): string | undefined {
  const target = posix.join(posix.dirname(path), specifier);
  if (!target.startsWith(`${pkg.dir}/`)) return 'which leaves its package.';
  if (target.includes('/node_modules/')) return 'which reaches into node_modules.';
  // Images omit the testing folders.
  if (!inTest && isTestPath(target)) return 'which is for tests only.';
  return undefined;
}

function findScopedProblem(
  pkg: Package,
  specifier: string,
  inTest: boolean,
  packages: readonly Package[],
): string | undefined {
  const name = readPackageName(specifier);
  const allowed = [...(IMPORT_TABLE[shortName(pkg.name)] ?? []), ...(inTest ? ['testkit'] : [])];
  if (!allowed.includes(shortName(name))) return 'which the import table does not allow.';
  const subpath = `.${specifier.slice(name.length)}`;
  const target = packages.find((other) => other.name === name);
  if (!target?.exports.includes(subpath)) return `and ${name} does not export "${subpath}".`;
  if (!inTest && subpath === './testing') return 'which is for tests only.';
  return undefined;
}

/**
 * Matches a source that only runs in a test or a benchmark: it can use the testkit and the package's development
 * dependencies.
 */
function isTestSource(pkg: Package, path: string): boolean {
  return ['testkit', 'test'].includes(shortName(pkg.name)) || path.startsWith(`${pkg.dir}/bench/`) || isTestPath(path);
}

export function isTestPath(path: string): boolean {
  return /\.(test|conformance)\.ts$|\/(testing|conformance)\//.test(path);
}

function readPackageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function shortName(name: string): string {
  return name.startsWith(scope) ? name.slice(scope.length) : name;
}
