// Measures the guards on the picked part of the samples, for comparison with the bars.
import type { Guards } from './guards.ts';
import { judgeDisguises, type DisguiseTally } from './judge-disguises.ts';
import { judgeSamples } from './judge-samples.ts';
import { pickSamples } from './pick-samples.ts';
import { PER_GROUP, SEED } from './quality-bars.ts';
import type { PlacedSample } from './sample.ts';
import { tally, type QualityReport } from './tally.ts';

export type Reached = { report: QualityReport; disguises: Record<string, DisguiseTally> };

export async function measureBars(guards: Guards, samples: readonly PlacedSample[]): Promise<Reached> {
  const withSpans = samples.filter(({ spans }) => spans);
  const attacks = samples.filter(({ label }) => label === 'attack');
  const benign = samples.filter(({ label, spans }) => label === 'benign' && !spans);
  const picked = [
    ...pickSamples(attacks, PER_GROUP.attack, SEED),
    ...pickSamples(benign, PER_GROUP.benign, SEED),
    ...withSpans,
  ];
  const judged = await judgeSamples(guards, picked);
  // Only short Latin texts of users have all forms.
  const simple = attacks.filter(
    ({ language, where, text }) => language === 'en' && where === 'user' && text.includes(' '),
  );
  const chosen = pickSamples(simple, PER_GROUP.disguised, SEED);
  const disguises = await judgeDisguises(guards, await judgeSamples(guards, chosen));
  return { report: tally(judged, guards.piiTypes), disguises };
}
