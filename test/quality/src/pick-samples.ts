// A small part of the samples, the same one each time: of every group so many, chosen by a hash of their texts. What is added to a
// group moves few of the others out.
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
