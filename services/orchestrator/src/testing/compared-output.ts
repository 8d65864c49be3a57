// The comparison of a session's output with an input that a test adds.
import type { Chunk } from '@millrace/contracts';
import { createUnchangedOutput } from '../sessions/unchanged-output.ts';

export function openComparison() {
  const given: Chunk[] = [];
  return {
    ...createUnchangedOutput({ listSent: (from) => given.slice(from) }),
    recordGiven: (chunks: readonly Chunk[]) => void given.push(...chunks),
  };
}
