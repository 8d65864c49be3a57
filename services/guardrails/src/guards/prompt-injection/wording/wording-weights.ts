// Reads the weights of the wording model trained by test/quality/training: four bits per n-gram, one set for users and
// one for tools.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { NGRAM_BITS } from './n-grams.ts';

const weightsSchema = z.object({ scale: z.number(), bias: z.number(), packed: z.base64() });
/** `provenance`: source of the weights and the command that creates them, for people. */
const fileSchema = z.object({
  provenance: z.record(z.string(), z.string()),
  user: weightsSchema,
  tool: weightsSchema,
});
export type WordingFile = z.infer<typeof fileSchema>;
export type WordingWeights = { bias: number; weights: Float32Array };

/** Levels of each sign, besides 0. Magnitudes grow quadratically, because most weights are small. */
const LEVELS = 7;
const COUNT = 1 << NGRAM_BITS;

export function packWeights({ bias, weights }: { bias: number; weights: Float64Array }): WordingFile['user'] {
  const scale = weights.toSorted((a, b) => Math.abs(b) - Math.abs(a))[COUNT >> 12] ?? 1;
  const most = Math.abs(scale);
  const bytes = Buffer.alloc(COUNT / 2);
  for (const [at, weight] of weights.entries()) {
    const level = Math.sign(weight) * Math.round(LEVELS * Math.sqrt(Math.min(1, Math.abs(weight) / most)));
    bytes[at >> 1] = (bytes[at >> 1] ?? 0) | ((level + LEVELS + 1) << ((at & 1) * 4));
  }
  return { scale: Math.round(most * 10_000) / 10_000, bias, packed: bytes.toString('base64') };
}

export function unpackWeights({ scale, bias, packed: text }: WordingFile['user']): WordingWeights {
  const bytes = Buffer.from(text, 'base64');
  const weights = new Float32Array(COUNT);
  for (let at = 0; at < COUNT; at++) {
    const level = (((bytes[at >> 1] ?? 0) >> ((at & 1) * 4)) & 15) - LEVELS - 1;
    weights[at] = Math.sign(level) * scale * (level / LEVELS) ** 2;
  }
  return { bias, weights };
}

export function readWordingWeights(): Record<'user' | 'tool', WordingWeights> {
  const file = fileSchema.parse(JSON.parse(readFileSync(new URL('wording-weights.json', import.meta.url), 'utf8')));
  return { user: unpackWeights(file.user), tool: unpackWeights(file.tool) };
}
