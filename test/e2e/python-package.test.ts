// The Python helper as a package: its types, its shapes, and its wheel in an empty environment.
// Installs the tools of Python, so it runs by command: npm run -s test:python.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root, runCommand } from './run-command.ts';

const isAsked = process.env['MILLRACE_PYTHON'] === '1';
const INSTALL_MS = 300_000;
const SOURCE = join(root, 'examples/python');
const HERE = join(import.meta.dirname, 'python');

async function run(program: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(program, args);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} exits with ${code}: ${stdout}${stderr}`);
  return stdout;
}

describe.skipIf(!isAsked)('the package for Python', () => {
  const nats = useNats();
  const bus = useBus(nats, 'python-package');
  let folder = '';
  /** Has the tools and no millrace. */
  let tools = '';
  /** Has the wheel, and what the wheel requires. */
  let empty = '';
  const python = (environment: string) => join(environment, 'bin/python');
  const check = (...args: string[]) =>
    runCommand(python(tools), ['-m', 'mypy', '--python-executable', python(empty), ...args]);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-wheel-'));
    [tools, empty] = [join(folder, 'tools'), join(folder, 'empty')];
    for (const environment of [tools, empty]) await run('python3', ['-m', 'venv', environment]);
    await run(python(tools), ['-m', 'pip', 'install', '-q', '-r', join(HERE, 'package-requirements.txt')]);
    await run(python(tools), ['-m', 'build', '--wheel', '--no-isolation', '--outdir', folder, SOURCE]);
    const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl')) ?? '';
    await run(python(empty), ['-m', 'pip', 'install', '-q', join(folder, wheel)]);
  }, INSTALL_MS);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('The module passes mypy --strict', async () => {
    const config = ['--config-file', join(SOURCE, 'pyproject.toml')];
    expect(await check(...config, join(SOURCE, 'millrace.py'), join(SOURCE, 'shapes.py'))).toMatchObject({ code: 0 });
  });

  test('A program over the installed package passes mypy --strict, except for its wrong lines', async () => {
    const program = join(HERE, 'typed_processor.py');
    const { code, stdout } = await check('--strict', program);
    const wrong = [...stdout.matchAll(/typed_processor\.py:(\d+): error: (\w+)/g)].map(([, line, word]) => [
      line,
      word,
    ]);
    expect(wrong).toEqual([
      ['32', 'Missing'],
      ['32', 'Extra'],
      ['33', 'Argument'],
    ]);
    expect(code).toBe(1);
  });

  test('The shapes have the members of the schemas', async () => {
    const schemas = join(folder, 'schemas.json');
    await writeFile(schemas, await run(process.execPath, [join(root, 'shared/cli/src/main.ts'), 'schemas', 'verdict']));
    expect(await run(python(empty), [join(HERE, 'compare_shapes.py'), schemas])).toBe('no difference\n');
  });

  test('The wheel serves a processor from an empty environment', async () => {
    const program = ['import millrace', 'assert "site-packages" in millrace.__file__, millrace.__file__'];
    program.push('from millrace import Processor, serve');
    program.push('class Guard(Processor):', '    id = "wheel"', '    description = "x"');
    program.push('    def process_input(self, call): pass', 'serve("py-wheel", [Guard])');
    const file = join(folder, 'program.py');
    await writeFile(file, `${program.join('\n')}\n`);
    const child = spawn(python(empty), [file], { env: { ...process.env, NATS_URL: nats.url }, stdio: 'inherit' });
    const exited = once(child, 'exit');
    try {
      const ping = () => bus.bus.nc.request('$SRV.PING.py-wheel', '', { timeout: 1_000 });
      expect((await eventually(ping, { timeoutMs: 20_000 })).json()).toMatchObject({ name: 'py-wheel' });
    } finally {
      child.kill('SIGTERM');
    }
    expect(await exited).toEqual([0, null]);
  });
});
