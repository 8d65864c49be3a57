// docs/seeds.md agrees with the code: its tests exist, and rows that it lists as missing are missing.
import { existsSync, globSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTracked, root } from './workspace.ts';

const page = readTracked('docs/seeds.md');
const [built = '', missing = ''] = page.split('## Not as asked, so far');
const rows = (text: string): string[][] =>
  [...text.matchAll(/^\| (.+) \|$/gm)].map(([, cells = '']) => cells.split(' | ').map((cell) => cell.trim()));
const gaps = rows(missing)
  .slice(1)
  .filter(([row]) => !row?.startsWith('-'));

const FOLDERS = [
  'shared/*/src/**',
  'services/orchestrator/src',
  'shared',
  'shared/*/src',
  'services/*/src',
  'services/*/src/**',
  'test',
  '.',
];
const named = rows(built.split('## The named tests of memory')[0] ?? '')
  .filter((row) => row.length === 3 && !/^-+$/.test(row[2] ?? '') && row[2] !== 'test')
  .map(([row = '', here = '', files = '']) => ({
    row,
    here,
    files: files.split(', ').filter((file) => /^[\w./-]+$/.test(file)),
  }));

/** Returns the test files that the page means: a file without its ending, or those of a folder or a service. */
function findTests(file: string): string[] {
  const [room = '', ...rest] = file.split('/');
  const paths = [file, `${room}/src/${rest.join('/')}`, `${room}/src/**/${rest.join('/')}`];
  const patterns = paths.flatMap((path) => FOLDERS.map((folder) => `${folder}/${path}{,.*}.test.ts`));
  const found = globSync(patterns, { cwd: root });
  if (found.length > 0) return found;
  const folders = [`services/${file}`, ...paths.slice(0, 2), `shared/${paths[1] ?? ''}`].filter((path) =>
    existsSync(join(root, path)),
  );
  return globSync(
    folders.map((path) => `${path}/**/*.test.ts`),
    { cwd: root, exclude: (path) => path === 'node_modules' },
  );
}

test('Every row of docs/seeds.md that is built names tests that exist, or a page', () => {
  expect(named.length).toBeGreaterThan(50);
  const missing = named.flatMap(({ row, files }) =>
    files
      .filter((file) => findTests(file).length === 0 && !existsSync(join(root, file)))
      .map((file) => `${row}: ${file}`),
  );
  expect(missing).toEqual([]);
});

const NO_WORDS = /`([A-Za-z][\w.-]*)/g;

test('A named test exercises its row: it contains a word of code of the row', () => {
  const idle = named.flatMap(({ row, here, files }) => {
    const words = [...`${row} ${here}`.matchAll(NO_WORDS)].map(([, word = '']) => word);
    const tests = files.flatMap(findTests);
    if (words.length === 0 || tests.length === 0) return [];
    const texts = tests.map((file) => readTracked(file)).join('\n');
    return words.some((word) => texts.includes(word)) ? [] : [`${row}: ${files.join(', ')}`];
  });
  expect(idle).toEqual([]);
});

test('Every gap has a state and a reason', () => {
  expect(gaps.length).toBeGreaterThan(10);
  expect(
    gaps.filter(([, , state, reason]) => !/^(open|not ours)$/.test(state ?? '') || (reason ?? '').length < 10),
  ).toEqual([]);
});

test('No gap is the name of a shipped processor or of a processor of the examples', () => {
  const shipped = [
    ...readdirSync(join(root, 'docs/processors')),
    ...readdirSync(join(root, 'examples/processor-examples/src')),
  ].map((file) => file.replace(/\.(md|ts)$/, ''));
  const names = gaps
    .flatMap(([row = '']) => [...row.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
    .map((name) => name.replace(/(Processor)?(Message)?Modifier$/, ''))
    .map((name) => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase());
  expect(names.filter((name) => shipped.includes(name))).toEqual([]);
});

test('Each chunk type that no component makes is a gap, and no other is', () => {
  const notMade = [...readTracked('docs/chunks.md').matchAll(/^\| `([\w-]+)` \| – \|/gm)].map(([, type = '']) => type);
  const listed = gaps
    .filter(([, of]) => of === 'chunk types')
    .map(([row = '']) => row)
    .join(' ');
  const unlisted = notMade.filter((type) => !listed.includes(`\`${type}\``));
  expect(unlisted).toEqual([]);
});
