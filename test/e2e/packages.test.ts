// The published packages: built, checked by publint, installed from their tarballs in an empty folder, and used there under the
// oldest and the pinned Node.js. Needs a registry, so it runs by command: npm run -s test:packages.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAgentFile } from '@millrace/client';
import { useNats, useStack } from '@millrace/testkit';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root, runCommand } from './run-command.ts';

const isAsked = process.env['MILLRACE_PACKAGES'] === '1';
const LONG_MS = 300_000;
const OLDEST_NODE = '22.12.0';

describe.skipIf(!isAsked)('The published packages', () => {
  const nats = useNats();
  const stack = useStack(nats, [
    'orchestrator',
    'guardrails',
    'tools',
    'message-history',
    'semantic-recall',
    'working-memory',
  ]);
  let dir: string;
  let tarballs: Record<string, string>;
  const env = () => ({ NATS_URL: nats.url, NATS_NKEY_FILE: join(nats.keys ?? '', 'operator/user.nk') });
  const nodes: [string, () => string][] = [
    [`Node.js ${OLDEST_NODE}`, () => join(dir, 'node_modules/oldest-node/bin/node')],
    ['the pinned Node.js', () => process.execPath],
  ];

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'millrace-packages-'));
    tarballs = JSON.parse(await runOrThrow('npm', ['run', '-s', 'build', '--', '--into', join(dir, 'built')], root));
    const files = Object.entries(tarballs).map(([name, file]) => [name, `file:built/${file}`]);
    const dependencies = { ...Object.fromEntries(files), 'oldest-node': `npm:node@${OLDEST_NODE}`, zod: '^4.6.7' };
    await writeFile(join(dir, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
    await runOrThrow('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], dir);
    const text = await readFile(join(root, 'deploy/agents/demo.yaml'), 'utf8');
    await stack.client.agents.apply(parseAgentFile('demo.yaml', text, {}).definition);
  }, LONG_MS);
  afterAll(() => rm(dir, { recursive: true, force: true }));

  test('publint has no message about any of them', async () => {
    const problems = await Promise.all(
      (await listFolders()).map((folder) =>
        publint({ pkgDir: join(dir, 'built/packages', folder), pack: false, strict: true }),
      ),
    );
    expect(problems.flatMap(({ messages }) => messages)).toEqual([]);
    expect(problems).toHaveLength(8);
  });

  test.each(nodes)('The example of the README prints its answer under %s', async (_, node) => {
    const file = join(dir, 'example.js');
    await writeFile(file, await readExample());
    const { code, stdout, stderr } = await runCommand(node(), [file], { cwd: dir, env: env() });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '17 * 23 = 391.\nfinished\n', stderr: '' });
  });

  test.each(nodes)('The command runs an agent and writes a processor in Python under %s', async (name, node) => {
    const run = (...args: string[]) =>
      runCommand(node(), [join(dir, 'node_modules/.bin/millrace'), ...args], { cwd: dir, env: env() });
    expect(await run('--version')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^millrace \d/) });
    expect(await run('run', 'demo', 'What is 17 * 23?')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('17 * 23 = 391.'),
    });
    const id = name.includes('pinned') ? 'pinned' : 'oldest';
    expect(await run('new', 'processor', id, '--lang', 'py')).toMatchObject({ code: 0 });
    const helper = await readFile(join(dir, id, 'millrace.py'), 'utf8');
    expect(helper).toBe(await readFile(join(root, 'examples/python/millrace.py'), 'utf8'));
  });

  test('A program with their types compiles', async () => {
    const text = `import { defineProcessor } from '@millrace/processor';\nimport { z } from 'zod';\n${await readExample()}
export const guard = defineProcessor({
  id: 'guard',
  description: 'Blocks nothing.',
  stages: ['processInput'],
  reads: ['input'],
  options: z.strictObject({ max: z.int() }),
  create: ({ max }) => ({ processInput: ({ messageList, abort }) => { if (messageList.getLatestUserContent().length > max) abort('Long.'); } }),
});\n`;
    await writeFile(join(dir, 'typed.ts'), text);
    const compilerOptions = {
      target: 'es2024',
      lib: ['es2024', 'esnext.disposable'],
      module: 'nodenext',
      strict: true,
      noEmit: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    };
    await writeFile(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed.ts'] }));
    const args = [join(root, 'node_modules/typescript/bin/tsc'), '-p', dir];
    expect(await runCommand(process.execPath, args, { cwd: dir })).toMatchObject({ code: 0, stdout: '' });
  });

  const listFolders = async () =>
    Object.keys(tarballs).map((name) => (name === 'millrace' ? 'cli' : name.replace('@millrace/', '')));
});

async function runOrThrow(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { code, stdout, stderr } = await runCommand(command, args, { cwd });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
  return stdout;
}

async function readExample(): Promise<string> {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  return /^```ts\n(.*?)^```/ms.exec(readme)?.[1] ?? '';
}
