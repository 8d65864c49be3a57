import { mkdtemp, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { millrace } from '../testing/recorded-io.ts';
import { testFile, typescriptFiles } from './scaffold.ts';
import { insertAfter } from './workspace-package.ts';

const checkout = resolve(import.meta.dirname, '../../../..');
let cwd: string;
const create = (...args: string[]) => millrace(['new', ...args], { cwd });

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'millrace-new-command-'));
});
afterAll(() => rm(cwd, { recursive: true }));

test('new overwrites nothing', async () => {
  await mkdir(join(cwd, 'mine'));
  await writeFile(join(cwd, 'mine/main.ts'), '// mine');
  for (const lang of ['ts', 'py'])
    expect(await create('processor', 'mine', '--lang', lang)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('is there already'),
    });
  expect(await readdir(join(cwd, 'mine'))).toEqual(['main.ts']);
});

test.each(['a b', '../up', 'a.b', 'x'.repeat(65)])('new refuses a name that is no id: %j', async (name) => {
  expect(await create('tool', name)).toMatchObject({ code: 1, stderr: expect.stringContaining('1 to 64') });
});

test('new refuses a language that it does not have', async () => {
  expect(await create('tool', 'x', '--lang', 'rb')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('ts or py'),
  });
});

test('new refuses another folder of this workspace: a package stands in services', async () => {
  const inside = await millrace(['new', 'processor', 'x', '--into', 'docs/x'], { cwd: checkout });
  expect(inside).toMatchObject({ code: 1, stderr: expect.stringContaining('leave --into out') });
});

test.each(['processor', 'tool'])(
  'new %s --lang py writes a folder with the module that carries the protocol',
  async (kind) => {
    const { code, stdout } = await create(kind, `py-${kind}`, '--lang', 'py');
    expect(code).toBe(0);
    expect(stdout).toContain(`python3 ${join(cwd, `py-${kind}`)}/main.py\n`);
    expect((await readdir(join(cwd, `py-${kind}`))).toSorted()).toEqual([
      'agent.yaml',
      'main.py',
      'millrace.py',
      'requirements.txt',
    ]);
    const module = await readFile(join(cwd, `py-${kind}/millrace.py`), 'utf8');
    expect(module).toBe(await readFile(join(checkout, 'examples/python/millrace.py'), 'utf8'));
  },
);

describe('a row for a new service', () => {
  test('goes behind the one that it is like', () => {
    expect(insertAfter('a\n  tools: x,\nb\n', /^ {2}tools: .*\n/m, '  mine: x,\n')).toBe(
      'a\n  tools: x,\n  mine: x,\nb\n',
    );
  });

  test('is refused where that is gone', () => {
    expect(() => insertAfter('a\n', /^ {2}tools: .*\n/m, 'x')).toThrow(/is not where a new service's row goes/);
  });
});

test('the README shows the processor that is written, and its program', async () => {
  const readme = await readFile(join(checkout, 'README.md'), 'utf8');
  for (const { text } of typescriptFiles('processor', 'no-shouting'))
    expect(readme).toContain(`\`\`\`ts\n${text}\`\`\``);
});

test('what is written names its variables as the language wants them', () => {
  const [definition] = typescriptFiles('tool', '2-fast_4U');
  expect(definition?.text).toContain('export const my2Fast4U = defineTool({');
  expect(testFile('processor', 'no-shouting').text).toContain("import { noShouting } from './no-shouting.ts';");
});
