// Planted violations show that the checks of import-graph.tree.test.ts work.
import { describe, expect, test } from 'vitest';
import { importCycles, importGraph } from './import-graph.ts';
import { roomCycles, roomProblems } from './room-problems.ts';

const plantFiles = (files: Record<string, string>) =>
  importGraph(Object.entries(files).map(([path, text]) => ({ path, text })));

describe('import cycles', () => {
  test('importCycles finds a cycle between two files, including a type import', () => {
    const files = { 'a/one.ts': "import { two } from './two.ts';", 'a/two.ts': "import type { One } from './one.ts';" };
    expect(importCycles(plantFiles(files))).toEqual(['a/one.ts → a/two.ts → a/one.ts']);
  });

  test('importCycles finds a cycle through several folders, by re-export, type query and dynamic import, and reports it once', () => {
    const files = {
      'a/mod.ts': "export * from './b/two.ts';",
      'a/b/two.ts': "type Three = import('../c/three.ts').Three;",
      'a/c/three.ts': "const one = await import('../mod.ts');",
      'a/zero.ts': "import { two } from './b/two.ts';",
    };
    expect(importCycles(plantFiles(files))).toEqual(['a/b/two.ts → a/c/three.ts → a/mod.ts → a/b/two.ts']);
  });

  test('importCycles finds a second cycle', () => {
    const files = {
      'a/one.ts': "import './two.ts'; import './three.ts';",
      'a/two.ts': "import './one.ts';",
      'a/three.ts': "import './one.ts';",
    };
    expect(importCycles(plantFiles(files))).toHaveLength(2);
  });

  test('importCycles accepts two paths to one file', () => {
    const files = {
      'a/one.ts': "import './two.ts'; import './three.ts';",
      'a/two.ts': "import './three.ts';",
      'a/three.ts': "import 'zod';",
    };
    expect(importCycles(plantFiles(files))).toEqual([]);
  });
});

describe('order of rooms', () => {
  const rooms = { run: ['state'], state: [] };
  const problems = (path: string, specifier: string) =>
    roomProblems('s/src', rooms, plantFiles({ [path]: `import type { X } from '${specifier}';` }));

  test.each([
    ['an import against the order', 's/src/state/a.ts', '../run/b.ts', 'state may not import run'],
    ['an import of a file outside of the rooms', 's/src/state/a.ts', '../service.ts', 'outside of the rooms'],
    ['a room without a row', 's/src/model/a.ts', '../state/b.ts', '"model" has no row'],
    ['an import of a room without a row', 's/src/run/a.ts', '../model/b.ts', 'run may not import model'],
  ])('the room table rejects %s', (_, path, specifier, why) => {
    expect(problems(path, specifier)).toEqual([expect.stringContaining(why)]);
  });

  test.each([
    ['an import with the order', 's/src/run/a.ts', '../state/b.ts'],
    ['an import in the room', 's/src/state/a.ts', './deeper/b.ts'],
    ['the composition root', 's/src/service.ts', './run/b.ts'],
    ['a test', 's/src/state/a.test.ts', '../run/b.ts'],
    ['helpers of tests', 's/src/testing/a.ts', '../run/b.ts'],
  ])('the room table allows %s', (_, path, specifier) => {
    expect(problems(path, specifier)).toEqual([]);
  });

  test('a cyclic room table is reported', () => {
    expect(roomCycles({ a: ['b'], b: ['c'], c: ['a'], d: ['a'] })).toEqual(['a', 'b', 'c']);
  });
});
