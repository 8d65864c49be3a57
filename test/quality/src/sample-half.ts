// Splits samples into halves by the hash of a text, so that a text stays in its half when others are added: `looked-at`
// for writing rules and choosing weights, `kept` for measuring only, never read.
import { createHash } from 'node:crypto';
import type { PlacedSample } from './sample.ts';
import { SamplesError } from './read-samples.ts';

/** Returns whether authors of rules may read the text. */
const isLookedAt = (text: string): boolean => (createHash('sha256').update(text).digest()[0] ?? 0) % 2 === 0;

/** Returns all samples if no half is named. @throws if the half is unknown */
export function selectHalf(samples: readonly PlacedSample[], half: string | undefined): PlacedSample[] {
  if (half === undefined) return [...samples];
  if (half !== 'looked-at' && half !== 'kept') throw new SamplesError([`"${half}" is no half: looked-at or kept.`]);
  return samples.filter(({ text }) => isLookedAt(text) === (half === 'looked-at'));
}
