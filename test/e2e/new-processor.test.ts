// What the README's "Write a processor" says, typed as it stands there: the scaffold, the program, the agent, a run. The commands
// are those of package.json, so that npm, the pinned Node and the resolution of @millrace/* are all part of it.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, mkdir, readFile, rm } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { useNats, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const nats = useNats();
useStack(nats, ['orchestrator']);
const releases: (() => Promise<unknown>)[] = [];
/** Inside the checkout, where git does not look. */
let folder: string;

type Ended = { code: number; stdout: string; stderr: string };
const env = () => ({ ...process.env, NATS_URL: nats.url });
const npm = (...args: string[]): Promise<Ended> =>
  new Promise((done) =>
    execFile('npm', ['run', '-s', ...args], { cwd: root, env: env() }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    ),
  );
const millrace = (...args: string[]) => npm('millrace', '--', ...args);

beforeAll(async () => {
  await mkdir(join(root, '.millrace'), { recursive: true });
  folder = relative(root, await mkdtemp(join(root, '.millrace/new-processor-')));
  releases.push(() => rm(join(root, folder), { recursive: true }));
});
afterAll(async () => {
  for (const release of releases.toReversed()) await release();
});

test('a scaffolded processor runs, is listed with its version, and blocks; nothing of the workspace changes', async () => {
  const lockfile = await readFile(join(root, 'pnpm-lock.yaml'), 'utf8');
  const { code, stdout } = await millrace('new', 'processor', 'no-shouting', '--into', folder);
  expect(code).toBe(0);
  expect(stdout).toContain(`npm run -s processor -- ${folder}/no-shouting/main.ts\n`);

  const program = spawn('npm', ['run', '-s', 'processor', '--', `${folder}/no-shouting/main.ts`], {
    cwd: root,
    env: env(),
    stdio: 'ignore',
  });
  releases.push(async () => {
    const exited = once(program, 'exit');
    program.kill('SIGTERM');
    await exited;
  });

  const applied = await millrace('agents', 'apply', `${folder}/no-shouting/agent.yaml`, '--wait', '20s');
  expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining('no-shouting is applied') });
  expect((await millrace('processors', 'list')).stdout).toMatch(/\nno-shouting +no-shouting +1 +1\.0\.0 /);

  const blocked = await millrace('run', 'no-shouting', 'WHY DOES NOBODY EVER LISTEN TO ME');
  expect(blocked).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Please do not shout.') });
  expect(await millrace('run', 'no-shouting', 'hello')).toMatchObject({ code: 0, stdout: expect.stringMatching(/\S/) });
  expect(await readFile(join(root, 'pnpm-lock.yaml'), 'utf8')).toBe(lockfile);
});

test('the README shows the program that is scaffolded', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const program = await readFile(join(root, folder, 'no-shouting/main.ts'), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${program}\`\`\``);
});
