// Runs the cases in each system, and prints what its reader received. `node compare.mjs [--json] [SYSTEM...]`
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CARD, startModel } from './model.mjs';

const here = import.meta.dirname;
const { values, positionals } = parseArgs({ options: { json: { type: 'boolean' } }, allowPositionals: true });

const npm = (main) => ({
  file: 'cases.mjs',
  has: join('node_modules', main),
  install: [['npm', 'ci', '--no-audit', '--no-fund', '--loglevel', 'error']],
  version: (folder) => `${main} ${readJson(join(folder, 'node_modules', main, 'package.json')).version}`,
});
const SYSTEMS = {
  millrace: { file: '../src/cases.ts', version: () => `millrace ${readJson(join(here, 'package.json')).version}` },
  mastra: npm('@mastra/core'),
  langchain: npm('langchain'),
  'ai-sdk': npm('ai'),
  litellm: {
    file: 'cases.mjs',
    has: '.venv/bin/litellm',
    install: [
      ['python3', '-m', 'venv', '.venv'],
      [
        '.venv/bin/pip',
        'install',
        '-q',
        '--only-binary',
        ':all:',
        '--no-deps',
        '--require-hashes',
        '-r',
        '../../litellm/requirements.txt',
      ],
    ],
    version: (folder) =>
      execFileSync(join(folder, '.venv/bin/python'), ['-m', 'pip', 'show', 'litellm'], { encoding: 'utf8' })
        .split('\n', 2)
        .map((line) => line.split(': ')[1])
        .join(' '),
  },
};
const CASES = ['no-guard', 'input-throws', 'stream-throws', 'guard-killed', 'cut-secret'];
const CASE_TIMEOUT_MS = 300_000;

const print = (line) => process.stdout.write(`${line}\n`);

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function install(folder, { has, install: steps = [] }) {
  if (has && existsSync(join(folder, has))) return;
  for (const [program, ...args] of steps)
    execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** @returns what the reader received, and how the run ended for it */
async function runOne(system, { file }, name) {
  const model = await startModel();
  const child = spawn(process.execPath, [join(here, system, file), name], {
    env: { ...process.env, MODEL_URL: model.url },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: CASE_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  let output = '';
  child.stdout.on('data', (part) => (output += part));
  const [code, signal] = await once(child, 'close');
  model.close();
  const events = output.split('\n').flatMap((line) => (line.startsWith('{"') ? [JSON.parse(line)] : []));
  const text = events.map((event) => event.text ?? '').join('');
  const ended = events.find((event) => event.ended)?.ended ?? `the process ended (${signal ?? code})`;
  return { system, case: name, passed: name === 'cut-secret' ? text.includes(CARD) : text !== '', text, ended };
}

const chosen = positionals.length > 0 ? positionals : Object.keys(SYSTEMS);
for (const system of chosen) {
  const how = SYSTEMS[system];
  if (!how) throw new Error(`There is no system "${system}": ${Object.keys(SYSTEMS).join(', ')}.`);
  const folder = join(here, system);
  install(folder, how);
  const version = how.version(folder);
  if (!values.json) print(`\n${version}`);
  for (const name of CASES) {
    const result = await runOne(system, how, name);
    const line = `  ${name.padEnd(14)}${result.passed ? 'PASSED ' : 'stopped'}  ${JSON.stringify(result.text)}  ${result.ended}`;
    print(values.json ? JSON.stringify({ version, ...result }) : line.slice(0, 200));
  }
}
