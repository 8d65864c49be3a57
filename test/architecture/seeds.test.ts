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

test('Every test that docs/seeds.md names exists', () => {
  const folders = [
    'services/orchestrator/src',
    'shared',
    'shared/*/src',
    'services/*/src',
    'services/*/src/**',
    'test',
    '.',
  ];
  const named = rows(built)
    .filter((row) => row.length === 3)
    .flatMap(([, , files = '']) => files.split(', '))
    .filter((file) => /^[\w./-]+$/.test(file) && file !== 'test' && !/^-+$/.test(file));
  expect(named.length).toBeGreaterThan(30);
  const exists = (file: string): boolean => {
    if (existsSync(join(root, 'services', file))) return true;
    const [room = '', ...rest] = file.split('/');
    const paths = [file, `${room}/src/${rest.join('/')}`, `${room}/src/**/${rest.join('/')}`];
    return paths.some((path) =>
      folders.some(
        (folder) => globSync([`${folder}/${path}{,.test,.*.test}.ts`, `${folder}/${path}`], { cwd: root }).length > 0,
      ),
    );
  };
  expect(named.filter((file) => !exists(file))).toEqual([]);
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
