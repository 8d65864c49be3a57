// Every guard keeps what every processor promises; texts are streamed whole and in pieces.
import { processorConformance } from '@millrace/testkit';
import { describe } from 'vitest';
import { moderation } from './moderation/moderation.ts';
import { piiWith } from './pii/pii.ts';
import { FIXED_MODELS } from './testing/fixed-models.ts';
import { GUARD_CASES } from './testing/guard-cases.ts';

for (const [guard, given] of GUARD_CASES) processorConformance(guard, given);

describe('asking a model', () => {
  const judged = [
    `${'Plain words of no harm. '.repeat(3)}A vile word 😀 stands here. ${'More of them. '.repeat(4)}`,
    `${'plain words of no harm, '.repeat(8)}Ada has said so, ${'and more of them, '.repeat(4)}says Ada`,
  ];
  const model = 'openai/judge';
  processorConformance(moderation(FIXED_MODELS), {
    options: [
      { model, categories: ['hate'], strategy: 'filter', window: 50, context: 0 },
      { model, categories: ['hate'], window: 50 },
    ],
    texts: judged,
  });
  processorConformance(piiWith(FIXED_MODELS), { options: [{ model, when: 'always' }], texts: judged });
});
