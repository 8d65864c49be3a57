// The reference: one process of another framework with the same model, the same six processors and the same memory, in turns with
// ours. Its packages are no part of this workspace: they are installed when this row is asked for.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { BenchContext, Measure } from '../bench-context.ts';
import { costOf, manyRuns, median, words } from '../load.ts';
import { round, row } from '../measure.ts';
import { applySix } from './runs.ts';

const dir = resolve(import.meta.dirname, '../../../reference');
const ROUNDS = 5;
const RUNS = 64;
const INSTALL_TIMEOUT_MS = 600_000;
const RUN_TIMEOUT_MS = 120_000;
const run = promisify(execFile);

type Figures = { runsPerSecond: number; cpuMs: number };

async function install(): Promise<void> {
  if (existsSync(join(dir, 'node_modules'))) return;
  process.stderr.write('installing the reference (some 200 MB)\n');
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: dir, timeout: INSTALL_TIMEOUT_MS });
}

let databases = 0;
async function reference({ stack, dir: files }: BenchContext, atOnce: number): Promise<Figures> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    MODEL_URL: stack.modelUrl,
    INPUT: words(0),
    DATABASE: join(files, `reference-${databases++}.db`),
    AT_ONCE: String(atOnce),
    RUNS: String(RUNS),
  };
  const { stdout } = await run(process.execPath, [join(dir, 'main.mjs')], { env, timeout: RUN_TIMEOUT_MS });
  return JSON.parse(stdout);
}

async function inTurns(context: BenchContext, atOnce: number) {
  const load = { agent: 'bench-six', input: words(0), atOnce, total: RUNS };
  const pairs: { ours: Figures; theirs: Figures }[] = [];
  await manyRuns(context.stack.client, load);
  for (let count = 0; count < ROUNDS; count += 1) {
    const theirs = await reference(context, atOnce);
    await manyRuns(context.stack.client, { ...load, total: RUNS / 4 });
    pairs.push({ theirs, ours: await costOf(context, load) });
  }
  const of = (figure: (pair: (typeof pairs)[number]) => number) => median(pairs.map(figure));
  return {
    ours: of(({ ours }) => ours.runsPerSecond),
    theirs: of(({ theirs }) => theirs.runsPerSecond),
    ratio: of(({ ours, theirs }) => ours.runsPerSecond / theirs.runsPerSecond),
    oursCpu: of(({ ours }) => ours.cpuMs),
    theirsCpu: of(({ theirs }) => theirs.cpuMs),
  };
}

export const compared: Measure = async (context) => {
  await install();
  await applySix(context);
  const one = await inTurns(context, 1);
  const many = await inTurns(context, 16);
  return row('reference', 'runs/s at 16 at once', many.ours, many.theirs, {
    ratioOfPairs: round(many.ratio),
    ours1: round(one.ours),
    reference1: round(one.theirs),
    ratio1: round(one.ratio),
    cpuMs16: round(many.oursCpu),
    referenceCpuMs16: round(many.theirsCpu),
  });
};
