import { expect, test } from 'vitest';
import { readFacts } from './source-facts.ts';

const importsOf = (text: string) => readFacts('a.ts', text).imports;

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
])('%s is seen', (_, text) => {
  expect(importsOf(text)).toEqual(['x']);
});

test('a comment and a string are no imports', () => {
  expect(importsOf(`// import 'x';\nconst a = "import 'x';";`)).toEqual([]);
});

test('a file that is not TypeScript does not pass', () => {
  expect(() => readFacts('a.ts', 'import {')).toThrow('a.ts: ');
});

test('strings and templates are seen, comments are not', () => {
  const { strings } = readFacts('a.ts', "const a = 'one'; // 'two'\nconst b = `${a}.three.${a}`;");
  expect(strings).toEqual(['one', '${}.three.${}']);
});

test('a default export is seen in each of its forms', () => {
  const has = (text: string) => readFacts('a.ts', text).hasDefaultExport;
  expect(has('export default 1;')).toBe(true);
  expect(has('const a = 1;\nexport { a as default };')).toBe(true);
  expect(has("export { default } from 'x';")).toBe(true);
  expect(has("export { default as a } from 'x';")).toBe(false);
});
