// The checks of import-graph.tree.test.ts can see: violations are planted.
import { describe, expect, test } from 'vitest';
import { importCycles, importGraph } from './import-graph.ts';
import { roomCycles, roomProblems } from './room-problems.ts';

const planted = (files: Record<string, string>) =>
  importGraph(Object.entries(files).map(([path, text]) => ({ path, text })));

describe('a circle of imports is found', () => {
  test('between two files, also where one imports a type only', () => {
    const files = { 'a/one.ts': "import { two } from './two.ts';", 'a/two.ts': "import type { One } from './one.ts';" };
    expect(importCycles(planted(files))).toEqual(['a/one.ts → a/two.ts → a/one.ts']);
  });

  test('through several folders, by re-export, type query and dynamic import, and once', () => {
    const files = {
      'a/mod.ts': "export * from './b/two.ts';",
      'a/b/two.ts': "type Three = import('../c/three.ts').Three;",
      'a/c/three.ts': "const one = await import('../mod.ts');",
      'a/zero.ts': "import { two } from './b/two.ts';",
    };
    expect(importCycles(planted(files))).toEqual(['a/b/two.ts → a/c/three.ts → a/mod.ts → a/b/two.ts']);
  });

  test('beside another one', () => {
    const files = {
      'a/one.ts': "import './two.ts'; import './three.ts';",
      'a/two.ts': "import './one.ts';",
      'a/three.ts': "import './one.ts';",
    };
    expect(importCycles(planted(files))).toHaveLength(2);
  });

  test('and two ways to one file are none', () => {
    const files = {
      'a/one.ts': "import './two.ts'; import './three.ts';",
      'a/two.ts': "import './three.ts';",
      'a/three.ts': "import 'zod';",
    };
    expect(importCycles(planted(files))).toEqual([]);
  });
});

describe('rooms', () => {
  const rooms = { run: ['state'], state: [] };
  const problems = (path: string, specifier: string) =>
    roomProblems('s/src', rooms, planted({ [path]: `import type { X } from '${specifier}';` }));

  test.each([
    ['an import against the order', 's/src/state/a.ts', '../run/b.ts', 'state may not import run'],
    ['an import of what stands in no room', 's/src/state/a.ts', '../service.ts', 'no room'],
    ['a room without a row', 's/src/model/a.ts', '../state/b.ts', '"model" has no row'],
    ['an import of a room without a row', 's/src/run/a.ts', '../model/b.ts', 'run may not import model'],
  ])('%s is refused', (_, path, specifier, why) => {
    expect(problems(path, specifier)).toEqual([expect.stringContaining(why)]);
  });

  test.each([
    ['an import with the order', 's/src/run/a.ts', '../state/b.ts'],
    ['an import in the room', 's/src/state/a.ts', './deeper/b.ts'],
    ['what puts the rooms together', 's/src/service.ts', './run/b.ts'],
    ['a test', 's/src/state/a.test.ts', '../run/b.ts'],
    ['what tests use', 's/src/testing/a.ts', '../run/b.ts'],
  ])('%s is allowed', (_, path, specifier) => {
    expect(problems(path, specifier)).toEqual([]);
  });

  test('a table that is a circle is found', () => {
    expect(roomCycles({ a: ['b'], b: ['c'], c: ['a'], d: ['a'] })).toEqual(['a', 'b', 'c']);
  });
});
