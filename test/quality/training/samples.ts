// Reads the half of the repository's samples for training. The other half measures the result and is never read.
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { isLookedAt } from '../src/sample-half.ts';

type SampleText = { text: string; isAttack: boolean; where: 'user' | 'tool' };

const FOLDER = resolve(import.meta.dirname, '../samples');

export function readLookedAtSamples(): SampleText[] {
  const files = readdirSync(FOLDER).filter((name) => /^(?:attacks|benign)-.*\.jsonl$/.test(name));
  return files.toSorted().flatMap((name) =>
    readFileSync(resolve(FOLDER, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map(readSample)
      .filter(({ text }) => isLookedAt(text)),
  );
}

const sampleSchema = z.object({
  text: z.string(),
  label: z.enum(['attack', 'benign']),
  where: z.enum(['user', 'tool']).default('user'),
});

function readSample(line: string): SampleText {
  const { text, label, where } = sampleSchema.parse(JSON.parse(line));
  return { text, isAttack: label === 'attack', where };
}
