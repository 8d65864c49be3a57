import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { millrace } from './testing/recorded-io.ts';

const checkout = resolve(import.meta.dirname, '../../..');
let cwd: string;
const create = (...args: string[]) => millrace(['new', 'processor', ...args], { cwd });

beforeAll(async () => {
  await mkdir(join(checkout, '.millrace'), { recursive: true });
  cwd = await mkdtemp(join(checkout, '.millrace/new-command-'));
});
afterAll(() => rm(cwd, { recursive: true }));

test('new processor overwrites nothing', async () => {
  const main = join(cwd, 'processors', 'mine', 'main.ts');
  await mkdir(join(cwd, 'processors', 'mine'), { recursive: true });
  await writeFile(main, '// mine');
  expect(await create('mine')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('is there already'),
  });
  expect(await readFile(main, 'utf8')).toBe('// mine');
});

test('new processor refuses a folder where the packages would not be found', async () => {
  expect(await create('far', '--into', '/tmp')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('outside of'),
  });
  expect(await create('up', '--into', '../../..')).toMatchObject({ code: 1 });
});

test.each(['a b', '../up', 'a.b', 'x'.repeat(65)])('new processor refuses a name that is no id: %j', async (name) => {
  expect(await create(name)).toMatchObject({ code: 1, stderr: expect.stringContaining('1 to 64') });
});
