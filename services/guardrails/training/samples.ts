// The half of the repository's own sample that may be learned from: the other one says what that was good for, and is read by nobody.
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { isLookedAt } from './half.ts';

type SampleText = { text: string; isAttack: boolean; where: 'user' | 'tool' };

const FOLDER = resolve(import.meta.dirname, '../../../test/quality/samples');

export function lookedAtSamples(): SampleText[] {
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
