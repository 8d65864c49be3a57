// What a unit test must not use, itself or through what it imports for tests: a server, or a process of its own. Such a test is called
// `*.integration.test.ts`, so that `npm run test:unit` stays a matter of seconds. Pure: sources come in.
import { posix } from 'node:path';
import { isTestPath } from './import-problems.ts';
import { readFacts, type SourceFacts } from './source-facts.ts';
import type { Source } from './workspace.ts';

/** Of the testkit: they start servers or processes, or talk to them. Its own files of these names too. */
const WITH_SERVER = ['useNats', 'useRedis', 'useBus', 'useService', 'useProcessors', 'useStack', 'startStack'];
const SERVER_FILES = ['nats', 'redis', 'bus', 'service', 'processors', 'stack', 'start-stack'].map(
  (name) => `shared/testkit/src/${name}.ts`,
);
/** Where every test may have a server. */
const BLACK_BOX = /^test\/(e2e|faults|bench|load)\//;

export const isUnitTest = (path: string): boolean =>
  path.endsWith('.test.ts') && !path.endsWith('.integration.test.ts') && !BLACK_BOX.test(path);

export function unitProblems(sources: readonly Source[]): string[] {
  const facts = new Map<string, SourceFacts>();
  const factsOf = (source: Source) => {
    const known = facts.get(source.path) ?? readFacts(source.path, source.text);
    facts.set(source.path, known);
    return known;
  };
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const usedBy = (path: string, seen: Set<string>): string[] => {
    const source = byPath.get(path);
    if (!source || seen.has(path)) return [];
    seen.add(path);
    const { imports, names } = factsOf(source);
    const own = [
      ...imports.filter((from) => from === 'node:child_process' || from === 'node:cluster'),
      ...names.flatMap(({ from, name }) => (isServer(from, name) ? [name] : [])),
    ];
    const local = imports.filter((from) => from.startsWith('.')).map((from) => posix.join(posix.dirname(path), from));
    // What is tested may be able to start things; what is written for tests is there to do so.
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
