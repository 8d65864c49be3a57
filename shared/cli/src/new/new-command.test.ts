import { mkdtemp, mkdir, readFile, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { millrace } from '../testing/recorded-io.ts';
import { inNewFolder } from './claimed-folder.ts';
import { runProgram } from './run-program.ts';
import { testFile, typescriptFiles } from './scaffold.ts';
import { insertAfter, orAsBefore } from './workspace-package.ts';

const checkout = resolve(import.meta.dirname, '../../../..');
let cwd: string;
const create = (...args: string[]) => millrace(['new', ...args], { cwd });

beforeAll(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'millrace-new-command-')));
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

test.each([
  ['processor', 'processor', 'a package of this workspace has it (shared/processor/package.json)'],
  ['tool', 'testkit', 'a package of this workspace has it (shared/testkit/package.json)'],
  ['processor', 'gateway', 'test/architecture/import-table.ts has a row of it'],
  ['processor', 'pii', 'a processor has it (services/guardrails/src/pii/pii.ts)'],
  ['tool', 'clock', 'a tool has it (services/tools/src/clock.ts)'],
  ['processor', 'main', 'its program is main.ts already'],
  ['tool', 'Upper', 'a package begins with a lower-case letter'],
])('in this workspace a new %s is not called %s', async (kind, name, problem) => {
  const there = () => readdir(join(checkout, 'services'));
  const before = await there();
  expect(await millrace(['new', kind, name], { cwd: checkout })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(problem),
  });
  expect(await there()).toEqual(before);
});

test('new leaves nothing of what did not come about, and takes no folder that is there', async () => {
  const half = join(cwd, 'half');
  const write = () => inNewFolder(half, 'millrace new tool', () => runProgram('no-such-program', [], half, {}));
  // Twice: the first time leaves nothing in the way of the second.
  await expect(write()).rejects.toThrow(/"no-such-program" failed in .*: .*ENOENT/);
  await expect(write()).rejects.toThrow('ENOENT');
  expect(await readdir(cwd)).not.toContain('half');
  await mkdir(half);
  await expect(write()).rejects.toThrow('is there already');
  expect(await readdir(half)).toEqual([]);
});

test('new puts files back that it had changed', async () => {
  await writeFile(join(cwd, 'table'), 'before');
  const change = async () => {
    await writeFile(join(cwd, 'table'), 'after');
    throw new Error('no registry');
  };
  await expect(orAsBefore(cwd, ['table'], change)).rejects.toThrow('no registry');
  expect(await readFile(join(cwd, 'table'), 'utf8')).toBe('before');
});

test('new follows a link into this workspace, and writes nothing through one that leads nowhere', async () => {
  await symlink(join(checkout, 'docs'), join(cwd, 'link'));
  expect(await create('tool', 'x', '--into', join(cwd, 'link/x'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('leave --into out'),
  });
  await symlink(join(cwd, 'nowhere'), join(cwd, 'dangling'));
  expect(await create('tool', 'dangling', '--lang', 'py')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is there already'),
  });
  expect(await readdir(cwd)).not.toContain('nowhere');
});

test('new says its next steps as a shell reads them', async () => {
  const { stdout } = await create('tool', 'x', '--lang', 'py', '--into', "it's here; ok");
  expect(stdout).toContain(`python3 '${cwd}/it'\\''s here; ok/main.py'\n`);
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

test.each([
  ['processor', 'class', 'classProcessor'],
  ['tool', 'new', 'newTool'],
  ['processor', 'z', 'zProcessor'],
  ['processor', 'options', 'optionsProcessor'],
  ['processor', 'define-processor', 'defineProcessorProcessor'],
  ['tool', 'count-letter', 'countLetterTool'],
  ['processor', 'test', 'testProcessor'],
  ['tool', 'run-processor-service', 'runProcessorServiceTool'],
] as const)('a %s called %s does not take a word that means something there already', (kind, id, variable) => {
  const [definition, program] = typescriptFiles(kind, id);
  expect(definition?.text).toContain(`export const ${variable} = define`);
  expect(program?.text).toContain(`${kind}s: [${variable}]`);
});
