import { expect, test } from 'vitest';
import { readFacts } from './source-facts.ts';

const listImports = (text: string) => readFacts('a.ts', text).imports;

test.each([
  ['a named import', "import { a } from 'x';"],
  ['an import for its effect', "import 'x';"],
  ['an import of types', "import type { A } from 'x';"],
  ['an import over lines', "import {\n  a,\n  b,\n} from\n  'x';"],
  ['an import of everything', "import * as all from 'x';"],
  ['a re-export', "export { a } from 'x';"],
  ['a re-export of types', "export type { A } from 'x';"],
  ['a re-export of everything', "export * from 'x';"],
  ['a dynamic import', "const a = await import('x');"],
  ['a dynamic import by a template', 'const a = await import(`x`);'],
  ['a type by import()', "type A = import('x').A;"],
])('readFacts finds %s', (_, text) => {
  expect(listImports(text)).toEqual(['x']);
});

test('readFacts ignores imports in comments and strings', () => {
  expect(listImports(`// import 'x';\nconst a = "import 'x';";`)).toEqual([]);
});

test('readFacts throws for a file that is not TypeScript', () => {
  expect(() => readFacts('a.ts', 'import {')).toThrow('a.ts: ');
});

test('readFacts finds strings and templates, but not comments', () => {
  const { strings } = readFacts('a.ts', "const a = 'one'; // 'two'\nconst b = `${a}.three.${a}`;");
  expect(strings).toEqual(['one', '${}.three.${}']);
});

test('readFacts finds a default export in each of its forms', () => {
  const has = (text: string) => readFacts('a.ts', text).hasDefaultExport;
  expect(has('export default 1;')).toBe(true);
  expect(has('const a = 1;\nexport { a as default };')).toBe(true);
  expect(has("export { default } from 'x';")).toBe(true);
  expect(has("export { default as a } from 'x';")).toBe(false);
});
