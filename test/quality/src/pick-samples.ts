// Picks a small constant part of the samples: a number of each group, chosen by a hash of their texts. An added sample
// replaces few of the others.
import { createHash } from 'node:crypto';
import type { PlacedSample } from './sample.ts';

export function pickSamples(samples: readonly PlacedSample[], perGroup: number, seed: string): PlacedSample[] {
  const rank = ({ text }: PlacedSample) => createHash('sha256').update(`${seed} ${text}`).digest('hex');
  const groups = Object.values(Object.groupBy(samples, ({ group, label }) => `${label} ${group}`));
  return groups.flatMap((some = []) => {
    const ranked = some.map((sample) => ({ sample, rank: rank(sample) }));
    return ranked
      .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
      .slice(0, perGroup)
      .map(({ sample }) => sample);
  });
}
