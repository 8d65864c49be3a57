// Millrace alternating with engines of durable execution: the same bytes of the model, six pass-through processors, the last
// ten messages of the thread, the same final text on both sides. The processor time is that of all processes of a side.
import { loadavg } from 'node:os';
import type { BenchContext, Measure } from '../bench-context.ts';
import { startPeer, type Peer, type PeerName } from '../durable-peer.ts';
import { makeScript, manyRuns, measureLoad, median, prose, quantile, type Cost } from '../load.ts';
import { round, row, type BenchRow } from '../measure.ts';
import type { Figures } from '../reference-process.ts';
import { applySix } from './runs.ts';

const ROUNDS = 3;
const WARM_RUNS = 96;
const AT_ONCE = 16;

type Round = { theirs: Figures; ours: Cost };
type Setup = { everyMs: number; total: number };

async function measureInTurns(context: BenchContext, peer: Peer, { everyMs, total }: Setup): Promise<Round[]> {
  const request = { input: makeScript(everyMs), text: prose(), atOnce: AT_ONCE, total };
  const load = { agent: 'bench-six', ...request };
  const warm = { input: makeScript(everyMs > 0 ? 2 : 0), total: WARM_RUNS };
  await peer.run({ ...request, ...warm });
  await manyRuns(context.stack.client, { ...load, ...warm });
  const rounds: Round[] = [];
  for (let count = 0; count < ROUNDS; count += 1)
    rounds.push({ theirs: await peer.run(request), ours: await measureLoad(context, load) });
  return rounds;
}

function buildRow(name: string, { total }: Setup, { node }: Peer, rounds: readonly Round[]): BenchRow {
  const roundMedian = (figure: (one: Round) => number) => round(median(rounds.map(figure)));
  const both = (figure: (side: Figures | Cost) => number) =>
    `${roundMedian(({ ours }) => figure(ours))} against ${roundMedian(({ theirs }) => figure(theirs))}`;
  const measured = row(
    name,
    'ms of processor time a run',
    roundMedian(({ ours }) => ours.cpuMs),
    roundMedian(({ theirs }) => theirs.cpuMs),
    {
      runsPerSecond: `${roundMedian(({ ours }) => ours.runsPerSecond)} against ${roundMedian(({ theirs }) => total / theirs.seconds)}`,
      deltas: both(({ deltas }) => deltas),
      firstP50: both(({ firstMs }) => quantile(firstMs, 0.5)),
      node,
      load: round(loadavg()[0] ?? 0),
    },
  );
  return { ...measured, ratio: roundMedian(({ ours, theirs }) => ours.cpuMs / theirs.cpuMs) };
}

const comparePeer =
  (name: string, peerName: PeerName, setup: Setup): Measure =>
  async (context) => {
    await applySix(context);
    const peer = await startPeer(peerName, { modelUrl: context.stack.modelUrl, dir: context.dir });
    try {
      return buildRow(name, setup, peer, await measureInTurns(context, peer, setup));
    } finally {
      await peer.stop();
    }
  };

const PEERS: PeerName[] = ['langgraph', 'restate', 'dbos'];

export const durableRows: Record<string, Measure> = Object.fromEntries(
  PEERS.flatMap((peer) => [
    [`durable-${peer}-16`, comparePeer(`durable-${peer}-16`, peer, { everyMs: 0, total: 128 })],
    [`durable-${peer}-paced-16`, comparePeer(`durable-${peer}-paced-16`, peer, { everyMs: 20, total: 32 })],
  ]),
);
