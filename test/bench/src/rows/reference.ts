// Millrace alternating with the reference's single process: the same bytes of the model, the same prose, the same final
// text on both sides. Both are warm: each side first runs batches of the same load.
import { loadavg } from 'node:os';
import { needServices, type BenchContext, type Measure } from '../bench-context.ts';
import { measureLoad, manyRuns, median, MODEL, prose, quantile, makeScript, type Cost, type Load } from '../load.ts';
import { round, row, type BenchRow } from '../measure.ts';
import { startReference, type ReferenceRequest, type Figures, type Reference } from '../reference-process.ts';
import { applySix } from './runs.ts';

const ROUNDS = 5;
/** Runs of each side before the first round: V8 still optimizes functions of a process after 2,500 runs, and most of them by 4,500. */
const WARM_RUNS = 4_608;
const WARM_RUNS_PACED = 768;
const WARM_EVERY_MS = 2;

type Setup = {
  /** The reference's name of the setup, and the prefix of our agents. */
  setup: 'bare' | 'six' | 'guards';
  atOnce: number;
  /** Delay between two pieces of the model's text, ms. */
  everyMs: number;
  /** Runs of a round. */
  total: number;
  /** `flushMs` of a second agent of ours, ms. */
  flushMs?: number;
};
type Round = { theirs: Figures; merged: Figures; ours: Cost; varied?: Cost | undefined };

const KEYWORD = { use: 'keyword', options: { keywords: ['forbidden'] } };
const INPUT = ['unicode-normalizer', 'prompt-injection', 'content-length'];
const OUTPUT = ['content-length', KEYWORD, 'pii'];
const use = (entry: (typeof OUTPUT)[number]) =>
  typeof entry === 'string' ? { id: entry } : { id: entry.use, options: entry.options };
const guards: NonNullable<ReferenceRequest['guards']> = { input: INPUT.map(use), output: OUTPUT.map(use) };

async function applyAgents(context: BenchContext, { setup, flushMs }: Setup): Promise<void> {
  if (setup === 'six') return applySix(context);
  const isGuarded = setup === 'guards';
  await needServices(context, 'orchestrator', ...(isGuarded ? ['guardrails'] : []));
  const more = isGuarded ? { input: INPUT, output: OUTPUT } : {};
  const { agents } = context.stack.client;
  await agents.apply({ name: `bench-${setup}`, model: MODEL, ...more });
  if (flushMs !== undefined) await agents.apply({ name: `bench-${setup}-${flushMs}`, model: MODEL, flushMs, ...more });
}

async function warm(
  { stack }: BenchContext,
  theirs: Reference,
  load: Load,
  request: ReferenceRequest,
  isPaced: boolean,
) {
  // Paced rows pay for each piece, while a burst merges them: the warm-up therefore sends separate pieces too.
  const total = isPaced ? WARM_RUNS_PACED : WARM_RUNS;
  const more = { input: makeScript(isPaced ? WARM_EVERY_MS : 0), total };
  await theirs.run({ ...request, ...more });
  await theirs.run({ ...request, ...more, total: total / 2, merges: true });
  await manyRuns(stack.client, { ...load, ...more });
}

async function measureInTurns(
  context: BenchContext,
  { setup, atOnce, everyMs, total, flushMs }: Setup,
): Promise<Round[]> {
  const load = { agent: `bench-${setup}`, input: makeScript(everyMs), text: prose(), atOnce, total };
  const asked = { setup, guards, input: load.input, text: load.text, atOnce, total };
  const theirs = await startReference(context);
  const rounds: Round[] = [];
  try {
    await warm(context, theirs, load, asked, everyMs > 0);
    for (let count = 0; count < ROUNDS; count += 1) {
      rounds.push({
        theirs: await theirs.run(asked),
        ours: await measureLoad(context, load),
        merged: await theirs.run({ ...asked, merges: true }),
        varied:
          flushMs === undefined
            ? undefined
            : await measureLoad(context, { ...load, agent: `${load.agent}-${flushMs}` }),
      });
    }
  } finally {
    theirs.stop();
  }
  return rounds;
}

function buildRow(name: string, { total }: Setup, rounds: readonly Round[]): BenchRow {
  const roundMedian = (figure: (one: Round) => number) => round(median(rounds.map(figure)));
  const perSecond = ({ seconds }: Figures) => total / seconds;
  const measured = row(
    name,
    'ms of processor time a run',
    roundMedian(({ ours }) => ours.cpuMs),
    roundMedian(({ theirs }) => theirs.cpuMs),
    {
      runsRatio: roundMedian(({ ours, theirs }) => ours.runsPerSecond / perSecond(theirs)),
      runsPerSecond: roundMedian(({ ours }) => ours.runsPerSecond),
      mergedReference: roundMedian(({ merged, theirs }) => merged.cpuMs / theirs.cpuMs),
      deltas: `${roundMedian(({ ours }) => ours.deltas)} against ${roundMedian(({ theirs }) => theirs.deltas)}`,
      firstP50: `${roundMedian(({ ours }) => quantile(ours.firstMs, 0.5))} against ${roundMedian(({ theirs }) => quantile(theirs.firstMs, 0.5))}`,
      gapP99: `${roundMedian(({ ours }) => quantile(ours.gapMs, 0.99))} against ${roundMedian(({ theirs }) => quantile(theirs.gapMs, 0.99))}`,
      load: round(loadavg()[0] ?? 0),
      ...sumByProcess(rounds.at(-1)?.ours),
      ...(rounds[0]?.varied && {
        flush50Ratio: roundMedian(({ varied, theirs }) => (varied?.cpuMs ?? 0) / theirs.cpuMs),
        flush50GapP99: roundMedian(({ varied }) => quantile(varied?.gapMs ?? [], 0.99)),
      }),
    },
  );
  return { ...measured, ratio: roundMedian(({ ours, theirs }) => ours.cpuMs / theirs.cpuMs) };
}

const sumByProcess = (cost: Cost | undefined): Record<string, number> =>
  Object.fromEntries(Object.entries(cost?.byProcess ?? {}).map(([service, ms]) => [service, round(ms)]));

const compareSetups =
  (name: string, setup: Setup): Measure =>
  async (context) => {
    await applyAgents(context, setup);
    return buildRow(name, setup, await measureInTurns(context, setup));
  };

const SETUPS: Record<string, Setup> = {
  'reference-1': { setup: 'six', atOnce: 1, everyMs: 0, total: 64 },
  'reference-16': { setup: 'six', atOnce: 16, everyMs: 0, total: 256 },
  'reference-guards-16': { setup: 'guards', atOnce: 16, everyMs: 0, total: 256 },
  'reference-paced-16': { setup: 'bare', atOnce: 16, everyMs: 20, total: 32, flushMs: 50 },
  'reference-paced-24': { setup: 'guards', atOnce: 24, everyMs: 20, total: 48, flushMs: 50 },
};

export const referenceRows: Record<string, Measure> = Object.fromEntries(
  Object.entries(SETUPS).map(([name, setup]) => [name, compareSetups(name, setup)]),
);
