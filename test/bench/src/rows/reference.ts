// Ours in turns with the reference's single process: the same bytes of the model, the same prose, the same final text on both sides. Both are
// warm: each side first runs batches of the same load.
import { loadavg } from 'node:os';
import { needServices, type BenchContext, type Measure } from '../bench-context.ts';
import { costOf, manyRuns, median, MODEL, prose, quantile, scripted, type Cost, type Load } from '../load.ts';
import { round, row, type Row } from '../measure.ts';
import { startReference, type Asked, type Figures, type Reference } from '../reference-process.ts';
import { applySix } from './runs.ts';

const ROUNDS = 5;
/** Runs of each side before the first round. */
const WARM_RUNS = 192;
const WARM_EVERY_MS = 2;

type Setup = {
  /** How the reference calls it, and our agents' names begin. */
  setup: 'bare' | 'six' | 'guards';
  atOnce: number;
  /** Between two pieces of the model's text, ms. */
  everyMs: number;
  /** Runs of a round. */
  total: number;
  /** Of a second agent of ours: the longest wait of a piece, ms. */
  flushMs?: number;
};
type Round = { theirs: Figures; merged: Figures; ours: Cost; varied?: Cost | undefined };

const KEYWORD = { use: 'keyword', options: { keywords: ['forbidden'] } };
const INPUT = ['unicode-normalizer', 'prompt-injection', 'content-length'];
const OUTPUT = ['content-length', KEYWORD, 'pii'];
const use = (entry: (typeof OUTPUT)[number]) =>
  typeof entry === 'string' ? { id: entry } : { id: entry.use, options: entry.options };
const guards: NonNullable<Asked['guards']> = { input: INPUT.map(use), output: OUTPUT.map(use) };

async function applyAgents(context: BenchContext, { setup, flushMs }: Setup): Promise<void> {
  if (setup === 'six') return applySix(context);
  const isGuarded = setup === 'guards';
  await needServices(context, 'orchestrator', ...(isGuarded ? ['guardrails'] : []));
  const more = isGuarded ? { input: INPUT, output: OUTPUT } : {};
  const { agents } = context.stack.client;
  await agents.apply({ name: `bench-${setup}`, model: MODEL, ...more });
  if (flushMs !== undefined) await agents.apply({ name: `bench-${setup}-${flushMs}`, model: MODEL, flushMs, ...more });
}

async function warm({ stack }: BenchContext, theirs: Reference, load: Load, asked: Asked, isPaced: boolean) {
  // Paced rows pay for each piece, which merging hides in a burst: their pieces arrive one by one here too.
  const more = { input: scripted(isPaced ? WARM_EVERY_MS : 0), total: WARM_RUNS };
  await theirs.run({ ...asked, ...more });
  await theirs.run({ ...asked, ...more, total: WARM_RUNS / 2, merges: true });
  await manyRuns(stack.client, { ...load, ...more });
}

async function inTurns(context: BenchContext, { setup, atOnce, everyMs, total, flushMs }: Setup): Promise<Round[]> {
  const load = { agent: `bench-${setup}`, input: scripted(everyMs), text: prose(), atOnce, total };
  const asked = { setup, guards, input: load.input, text: load.text, atOnce, total };
  const theirs = await startReference(context);
  const rounds: Round[] = [];
  try {
    await warm(context, theirs, load, asked, everyMs > 0);
    for (let count = 0; count < ROUNDS; count += 1) {
      rounds.push({
        theirs: await theirs.run(asked),
        ours: await costOf(context, load),
        merged: await theirs.run({ ...asked, merges: true }),
        varied:
          flushMs === undefined ? undefined : await costOf(context, { ...load, agent: `${load.agent}-${flushMs}` }),
      });
    }
  } finally {
    theirs.stop();
  }
  return rounds;
}

function rowOf(name: string, { total }: Setup, rounds: readonly Round[]): Row {
  const of = (figure: (one: Round) => number) => round(median(rounds.map(figure)));
  const perSecond = ({ seconds }: Figures) => total / seconds;
  const measured = row(
    name,
    'ms of processor time a run',
    of(({ ours }) => ours.cpuMs),
    of(({ theirs }) => theirs.cpuMs),
    {
      runsRatio: of(({ ours, theirs }) => ours.runsPerSecond / perSecond(theirs)),
      runsPerSecond: of(({ ours }) => ours.runsPerSecond),
      mergedReference: of(({ merged, theirs }) => merged.cpuMs / theirs.cpuMs),
      deltas: `${of(({ ours }) => ours.deltas)} against ${of(({ theirs }) => theirs.deltas)}`,
      firstP50: `${of(({ ours }) => quantile(ours.firstMs, 0.5))} against ${of(({ theirs }) => quantile(theirs.firstMs, 0.5))}`,
      gapP99: `${of(({ ours }) => quantile(ours.gapMs, 0.99))} against ${of(({ theirs }) => quantile(theirs.gapMs, 0.99))}`,
      load: round(loadavg()[0] ?? 0),
      ...byProcess(rounds.at(-1)?.ours),
      ...(rounds[0]?.varied && {
        flush50Ratio: of(({ varied, theirs }) => (varied?.cpuMs ?? 0) / theirs.cpuMs),
        flush50GapP99: of(({ varied }) => quantile(varied?.gapMs ?? [], 0.99)),
      }),
    },
  );
  return { ...measured, ratio: of(({ ours, theirs }) => ours.cpuMs / theirs.cpuMs) };
}

const byProcess = (cost: Cost | undefined): Record<string, number> =>
  Object.fromEntries(Object.entries(cost?.byProcess ?? {}).map(([service, ms]) => [service, round(ms)]));

const compared =
  (name: string, setup: Setup): Measure =>
  async (context) => {
    await applyAgents(context, setup);
    return rowOf(name, setup, await inTurns(context, setup));
  };

const SETUPS: Record<string, Setup> = {
  'reference-1': { setup: 'six', atOnce: 1, everyMs: 0, total: 64 },
  'reference-16': { setup: 'six', atOnce: 16, everyMs: 0, total: 128 },
  'reference-guards-16': { setup: 'guards', atOnce: 16, everyMs: 0, total: 64 },
  'reference-paced-16': { setup: 'bare', atOnce: 16, everyMs: 20, total: 32, flushMs: 50 },
  'reference-paced-24': { setup: 'guards', atOnce: 24, everyMs: 20, total: 48, flushMs: 50 },
};

export const referenceRows: Record<string, Measure> = Object.fromEntries(
  Object.entries(SETUPS).map(([name, setup]) => [name, compared(name, setup)]),
);
