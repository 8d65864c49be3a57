// The background build of the console: its lines are reported, a failure ends nothing, and a stop ends the build.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { buildConsole } from './build-console.ts';
import { isAlive } from './testing/npm-start.ts';
import { scratchDir } from './testing/scratch-dir.ts';

/** A checkout with this program in place of console/build.mjs. */
async function build(program: string) {
  const checkout = await scratchDir();
  await mkdir(join(checkout, 'console'));
  await writeFile(join(checkout, 'console/build.mjs'), program);
  const lines: string[] = [];
  return {
    lines,
    build: buildConsole({ checkout, out: join(checkout, 'out'), report: (line) => void lines.push(line) }),
  };
}

test('A build that fails reports its reason and remedy, and resolves', async () => {
  const { lines, build: failing } = await build(
    "process.stderr.write('no registry\\nSet HTTPS_PROXY.\\n'); process.exit(1)",
  );
  await failing.ended;
  await failing.stop();
  expect(lines).toEqual(['no registry', 'Set HTTPS_PROXY.']);
});

test('The build receives the folder', async () => {
  const { lines, build: building } = await build('process.stderr.write(process.argv.slice(2).join(" "))');
  await building.ended;
  expect(lines).toEqual([expect.stringMatching(/^--out .*out$/)]);
});

test.skipIf(process.platform === 'win32')('A stop ends a build in progress', async () => {
  const { lines, build: endless } = await build(
    'process.stderr.write(`${process.pid}\\n`); setInterval(() => {}, 1_000)',
  );
  await vi.waitFor(() => expect(lines).toHaveLength(1), { timeout: 10_000 });
  await endless.stop();
  expect(isAlive(Number(lines[0]))).toBe(false);
});

test('A checkout without the console has nothing to build', async () => {
  const none = buildConsole({ checkout: await scratchDir(), out: '/nowhere', report: () => undefined });
  await none.ended;
  expect(await none.stop()).toBeUndefined();
});
