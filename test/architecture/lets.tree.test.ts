// The variables that change in the repository's functions: all sources are parsed. Callbacks of tests are excepted.
import { expect, test } from 'vitest';
import { findLetProblems } from './let-problems.ts';
import { readSources } from './workspace.ts';

const declare = (count: number) => Array.from({ length: count }, (_, at) => `let a${at} = 0;`).join('\n');

test.each([
  ['six declarations', `function f() {\n${declare(6)}\n}`],
  [
    'four declarations and two in an inner function',
    `const f = () => {\n${declare(4)}\nreturn () => { let b = 1, c = 2; };\n};`,
  ],
])('A function with %s is reported', (_, source) => {
  expect(findLetProblems('a.ts', source)).toEqual([expect.stringMatching(/^a\.ts:1: the function has 6 variables/)]);
});

test('A function with five declarations and a loop, and two functions with three each, are accepted', () => {
  expect(findLetProblems('a.ts', `function f() {\n${declare(5)}\n}`)).toEqual([]);
  expect(findLetProblems('a.ts', `function f() {\n${declare(5)}\nfor (let at = 0; at < 1; at++);\n}`)).toEqual([]);
  expect(findLetProblems('a.ts', `function f() {\n${declare(3)}\n}\nfunction g() {\n${declare(3)}\n}`)).toEqual([]);
});

test('No function has more than five variables that change', () => {
  const sources = readSources().filter(({ path }) => !/\.test\.tsx?$/.test(path));
  expect(sources.flatMap(({ path, text }) => findLetProblems(path, text))).toEqual([]);
});
