// Finds servers and processes in a unit test, used directly or through its test helpers. Such a test is named
// `*.integration.test.ts`, so that `npm run test:unit` takes seconds. Pure: takes sources.
import { posix } from 'node:path';
import { isTestPath } from './import-problems.ts';
import { readFacts, type SourceFacts } from './source-facts.ts';
import type { Source } from './workspace.ts';

/**
 * Exports of the testkit that start servers or processes, or connect to them; also the testkit's files with these
 * names.
 */
const WITH_SERVER = [
  'useNats',
  'useRedis',
  'useOwnRedis',
  'useQdrant',
  'useBus',
  'useService',
  'useProcessors',
  'useStack',
  'startStack',
];
const SERVER_FILES = ['nats', 'redis', 'bus', 'service', 'processors', 'stack', 'start-stack'].map(
  (name) => `shared/testkit/src/${name}.ts`,
);
/** Folders with tests that can all use a server. */
const BLACK_BOX = /^test\/(console|e2e|faults|bench|load)\//;

export const isUnitTest = (path: string): boolean =>
  path.endsWith('.test.ts') && !path.endsWith('.integration.test.ts') && !BLACK_BOX.test(path);

export function unitProblems(sources: readonly Source[]): string[] {
  const facts = new Map<string, SourceFacts>();
  const findFacts = (source: Source) => {
    const known = facts.get(source.path) ?? readFacts(source.path, source.text);
    facts.set(source.path, known);
    return known;
  };
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const usedBy = (path: string, seen: Set<string>): string[] => {
    const source = byPath.get(path);
    if (!source || seen.has(path)) return [];
    seen.add(path);
    const { imports, names } = findFacts(source);
    const own = [
      ...imports.filter((from) => from === 'node:child_process' || from === 'node:cluster'),
      ...names.flatMap(({ from, name }) => (isServer(from, name) ? [name] : [])),
    ];
    const local = imports.filter((from) => from.startsWith('.')).map((from) => posix.join(posix.dirname(path), from));
    // A test may use a subject that can start things; a test helper exists to do so.
    const forTests = local.filter((target) => isTestPath(target) || SERVER_FILES.includes(target));
    return [...own, ...forTests.flatMap((target) => (SERVER_FILES.includes(target) ? [target] : usedBy(target, seen)))];
  };
  return sources.flatMap(({ path }) => {
    const used = isUnitTest(path) ? usedBy(path, new Set()) : [];
    return used.length === 0 ? [] : [`${path}: uses ${used.join(', ')}: call it *.integration.test.ts.`];
  });
}

function isServer(from: string, name: string): boolean {
  if (from.startsWith('@millrace/testkit')) return WITH_SERVER.includes(name);
  return from === '@millrace/servers' && name.startsWith('start');
}
