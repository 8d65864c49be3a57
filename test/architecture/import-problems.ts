// What is wrong with a package's dependencies and with a file's imports, by the import table. Pure: the packages and the
// specifiers come in, sentences come out, so that the tests can plant a violation of every kind.
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

/** `path` is the file's, from the root; `pkg` the package that holds it. */
export function importProblems(
  pkg: Package,
  path: string,
  specifiers: readonly string[],
  packages: readonly Package[],
): string[] {
  return specifiers.flatMap((specifier) => {
    const problem = problemOf(pkg, path, specifier, packages);
    return problem ? [`${path}: imports ${specifier}, ${problem}`] : [];
  });
}

function problemOf(pkg: Package, path: string, specifier: string, packages: readonly Package[]): string | undefined {
  const inTest = isTestSource(pkg, path);
  if (specifier.startsWith('.')) return relativeProblem(pkg, path, specifier, inTest);
  if (specifier.startsWith('node:')) return undefined;
  if (/^[/#]|^[a-z]+:/.test(specifier)) return 'which is neither a package nor a path beside it.';
  if (builtinModules.includes(specifier)) return 'a module of Node without "node:".';
  const name = packageNameOf(specifier);
  if (name.startsWith(scope)) {
    const problem = ownProblem(pkg, specifier, inTest, packages);
    if (problem) return problem;
  }
  // An image has what a package lists as `dependencies`, and nothing of what its tests need.
  if (!inTest && !pkg.dependencies.includes(name)) return `and ${name} is not among its package's dependencies.`;
  return undefined;
}

function relativeProblem(pkg: Package, path: string, specifier: string, inTest: boolean): string | undefined {
  const target = posix.join(posix.dirname(path), specifier);
  if (!target.startsWith(`${pkg.dir}/`)) return 'which leaves its package.';
  if (target.includes('/node_modules/')) return 'which reaches into node_modules.';
  // Images leave the testing folders out.
  if (!inTest && isTestPath(target)) return 'which is for tests only.';
  return undefined;
}

function ownProblem(
  pkg: Package,
  specifier: string,
  inTest: boolean,
  packages: readonly Package[],
): string | undefined {
  const name = packageNameOf(specifier);
  const allowed = [...(IMPORT_TABLE[shortName(pkg.name)] ?? []), ...(inTest ? ['testkit'] : [])];
  if (!allowed.includes(shortName(name))) return 'which the import table does not allow.';
  const subpath = `.${specifier.slice(name.length)}`;
  const target = packages.find((other) => other.name === name);
  if (!target?.exports.includes(subpath)) return `and ${name} does not export "${subpath}".`;
  if (!inTest && subpath === './testing') return 'which is for tests only.';
  return undefined;
}

/** What only ever runs in a test or a benchmark: it may use the testkit and what its package lists for development. */
function isTestSource(pkg: Package, path: string): boolean {
  return ['testkit', 'test'].includes(shortName(pkg.name)) || path.startsWith(`${pkg.dir}/bench/`) || isTestPath(path);
}

export function isTestPath(path: string): boolean {
  return /\.(test|conformance)\.ts$|\/(testing|conformance)\//.test(path);
}

function packageNameOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function shortName(name: string): string {
  return name.startsWith(scope) ? name.slice(scope.length) : name;
}
