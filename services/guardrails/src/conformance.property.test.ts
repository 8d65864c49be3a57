// Runs the processor conformance suite for every guard, with whole and split texts.
import { processorConformance } from '@millrace/testkit';
import { describe } from 'vitest';
import { defineModeration } from './guards/moderation/moderation.ts';
import { definePii } from './guards/pii/pii.ts';
import { FIXED_MODELS } from './testing/judging-provider.ts';
import { listCases } from './testing/case-definitions.ts';

for (const [guard, { options, texts }] of listCases())
  processorConformance(guard, { options, ...(texts && { texts }) });

describe('guards with a model', () => {
  const judged = [
    `${'Plain words of no harm. '.repeat(3)}A vile word 😀 stands here. ${'More of them. '.repeat(4)}`,
    `${'plain words of no harm, '.repeat(8)}Ada has said so, ${'and more of them, '.repeat(4)}says Ada`,
  ];
  const model = 'openai/judge';
  processorConformance(defineModeration(FIXED_MODELS), {
    options: [
      { model, categories: ['hate'], strategy: 'filter', window: 50, context: 0 },
      { model, categories: ['hate'], window: 50 },
    ],
    texts: judged,
  });
  processorConformance(definePii(FIXED_MODELS), { options: [{ model, when: 'always' }], texts: judged });
});
