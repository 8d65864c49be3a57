// The halves of a sample, by the hash of a text, so that it stays where it is whatever is added: `looked-at`, which rules may be made from and
// weights learned from, and `kept`, which nobody reads.
import { createHash } from 'node:crypto';
import type { PlacedSample } from './sample.ts';
import { SamplesError } from './read-samples.ts';

/** As services/guardrails/training has it. */
const isLookedAt = (text: string): boolean => (createHash('sha256').update(text).digest()[0] ?? 0) % 2 === 0;

/** All of them where no half is named. @throws where it is neither */
export function inHalf(samples: readonly PlacedSample[], half: string | undefined): PlacedSample[] {
  if (half === undefined) return [...samples];
  if (half !== 'looked-at' && half !== 'kept') throw new SamplesError([`"${half}" is no half: looked-at or kept.`]);
  return samples.filter(({ text }) => isLookedAt(text) === (half === 'looked-at'));
}
