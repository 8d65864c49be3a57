import { mkdtemp, mkdir, readFile, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { millrace } from '../testing/recorded-io.ts';
import { findWorkspaceNameProblem } from './name-problem.ts';
import { writeInNewFolder } from './new-command.ts';
import { runProgram } from './run-program.ts';
import { buildTestFile, buildTypescriptFiles } from './scaffold.ts';
import { SHIPPED_NAMES } from './shipped-names.ts';
import { insertAfter, restoreOnFailure } from './workspace-package.ts';

const checkout = resolve(import.meta.dirname, '../../../..');
let cwd: string;
const create = (...args: string[]) => millrace(['new', ...args], { cwd });

beforeAll(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'millrace-new-command-')));
});
afterAll(() => rm(cwd, { recursive: true }));

test('millrace new overwrites no file', async () => {
  await mkdir(join(cwd, 'mine'));
  await writeFile(join(cwd, 'mine/main.ts'), '// mine');
  for (const lang of ['ts', 'py'])
    expect(await create('processor', 'mine', '--lang', lang)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('exists already'),
    });
  expect(await readdir(join(cwd, 'mine'))).toEqual(['main.ts']);
});

test.each(['a b', '../up', 'a.b', 'x'.repeat(65)])(
  'millrace new rejects a name that is not an id: %j',
  async (name) => {
    expect(await create('tool', name)).toMatchObject({ code: 1, stderr: expect.stringContaining('1 to 64') });
  },
);

test.each([
  ['processor', 'processor', 'a package of this workspace has this name (shared/processor/package.json)'],
  ['tool', 'testkit', 'a package of this workspace has this name (shared/testkit/package.json)'],
  ['processor', 'pii', 'Millrace ships a processor with this id'],
  ['tool', 'clock', 'Millrace ships a tool with this id'],
  ['processor', 'frameless', 'a processor has it (services/orchestrator/src/testing/frameless-processor.ts)'],
  ['processor', 'main', 'main.ts is the name of its program'],
  ['tool', 'Upper', 'a package name starts with a lower-case letter'],
])('In this workspace a new %s cannot have the name %s', async (kind, name, problem) => {
  const listServices = () => readdir(join(checkout, 'services'));
  const before = await listServices();
  expect(await millrace(['new', kind, name], { cwd: checkout })).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(problem),
  });
  expect(await listServices()).toEqual(before);
});

test.each(['ts', 'py'])('Outside of this workspace a new processor in %s has no id of a shipped one', async (lang) => {
  const before = await readdir(cwd);
  for (const [kind, name] of [
    ['processor', 'pii'],
    ['tool', 'clock'],
  ] as const)
    expect(await create(kind, name, '--lang', lang)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`choose another id, for example my-${name}`),
    });
  expect(await readdir(cwd)).toEqual(before);
});

test('The ids that millrace new rejects are those of the shipped tools, too', async () => {
  for (const name of SHIPPED_NAMES.tool)
    expect(await findWorkspaceNameProblem(checkout, 'tool', name)).toMatch(/^a tool has it \(services\/tools\//);
});

test('millrace new removes a partly written folder and rejects a folder that exists', async () => {
  const half = join(cwd, 'half');
  const write = () => writeInNewFolder(half, 'millrace new tool', () => runProgram('no-such-program', [], half, {}));
  // Runs twice: the first failure must not block the second run.
  await expect(write()).rejects.toThrow(/"no-such-program" failed in .*: .*ENOENT/);
  await expect(write()).rejects.toThrow('ENOENT');
  expect(await readdir(cwd)).not.toContain('half');
  await mkdir(half);
  await expect(write()).rejects.toThrow('exists already');
  expect(await readdir(half)).toEqual([]);
});

test('millrace new restores the files that it had changed', async () => {
  await writeFile(join(cwd, 'table'), 'before');
  const change = async () => {
    await writeFile(join(cwd, 'table'), 'after');
    throw new Error('no registry');
  };
  await expect(restoreOnFailure(cwd, ['table'], change)).rejects.toThrow('no registry');
  expect(await readFile(join(cwd, 'table'), 'utf8')).toBe('before');
});

test('millrace new follows a link into this workspace and writes nothing through a broken link', async () => {
  await symlink(join(checkout, 'docs'), join(cwd, 'link'));
  expect(await create('tool', 'x', '--into', join(cwd, 'link/x'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('omit --into'),
  });
  await symlink(join(cwd, 'nowhere'), join(cwd, 'dangling'));
  expect(await create('tool', 'dangling', '--lang', 'py')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('exists already'),
  });
  expect(await readdir(cwd)).not.toContain('nowhere');
});

test('millrace new prints its next steps with shell quoting', async () => {
  const { stdout } = await create('tool', 'x', '--lang', 'py', '--into', "it's here; ok");
  expect(stdout).toContain(`'${cwd}/it'\\''s here; ok/.venv/bin/python' '${cwd}/it'\\''s here; ok/main.py'\n`);
});

test('millrace new rejects an unknown language', async () => {
  expect(await create('tool', 'x', '--lang', 'rb')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('ts or py'),
  });
});

test('millrace new rejects --into in this workspace: a package lies in services', async () => {
  const inside = await millrace(['new', 'processor', 'x', '--into', 'docs/x'], { cwd: checkout });
  expect(inside).toMatchObject({ code: 1, stderr: expect.stringContaining('omit --into') });
});

test.each(['processor', 'tool'])(
  'millrace new %s --lang py writes a folder with the module that carries the protocol',
  async (kind) => {
    const { code, stdout } = await create(kind, `py-${kind}`, '--lang', 'py');
    expect(code).toBe(0);
    expect(stdout).toContain(`${join(cwd, `py-${kind}`)}/.venv/bin/python ${join(cwd, `py-${kind}`)}/main.py\n`);
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
  test('The row of a new service is inserted after the row of a similar service', () => {
    expect(insertAfter('a\n  tools: x,\nb\n', /^ {2}tools: .*\n/m, '  mine: x,\n')).toBe(
      'a\n  tools: x,\n  mine: x,\nb\n',
    );
  });

  test('The row of a new service is rejected if the similar row is missing', () => {
    expect(() => insertAfter('a\n', /^ {2}tools: .*\n/m, 'x')).toThrow(/cannot be inserted/);
  });
});

test('The page about processors shows the files that millrace new writes, and the README the function of the processor', async () => {
  const files = buildTypescriptFiles('processor', 'no-shouting');
  const page = await readFile(join(checkout, 'docs/write-a-processor.md'), 'utf8');
  for (const { text } of files) expect(page).toContain(`\`\`\`ts\n${text}\`\`\``);
  const [definition] = files;
  const text = definition?.text ?? '';
  const readme = await readFile(join(checkout, 'README.md'), 'utf8');
  expect(readme).toContain(`${text.slice(text.indexOf('  create:'))}\`\`\``);
});

test('The scaffold derives valid variable names from every id', () => {
  const [definition] = buildTypescriptFiles('tool', '2-fast_4U');
  expect(definition?.text).toContain('export const my2Fast4U = defineTool({');
  expect(buildTestFile('processor', 'no-shouting').text).toContain("import { noShouting } from './no-shouting.ts';");
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
] as const)('A new %s named %s does not shadow an identifier of the scaffold', (kind, id, variable) => {
  const [definition, program] = buildTypescriptFiles(kind, id);
  expect(definition?.text).toContain(`export const ${variable} = define`);
  expect(program?.text).toContain(`${kind}s: [${variable}]`);
});
