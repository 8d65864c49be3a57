// Selects the model by step: a fast one first, a better one after tool calls, and no tools after too many steps. The
// result applies to this step only.
import { defineProcessor } from '@millrace/processor';
import { z } from 'zod';

export const dynamicModel = defineProcessor({
  id: 'dynamic-model',
  description: 'Chooses the model of each step.',
  stages: ['processInputStep'],
  reads: ['steps'],
  options: z.strictObject({
    first: z.string().default('openai/gpt-5-mini').describe('the model of every other step'),
    afterTools: z.string().default('openai/gpt-5').describe('model after a step with tool calls'),
    maxToolSteps: z.int().min(1).default(5).describe('from this step on no tool is called'),
  }),
  create: ({ first, afterTools, maxToolSteps }) => ({
    processInputStep({ stepNumber, steps }) {
      const hasAsked = (steps.at(-1)?.toolCalls.length ?? 0) > 0;
      return {
        model: hasAsked ? afterTools : first,
        ...(stepNumber >= maxToolSteps && { toolChoice: 'none' as const }),
      };
    },
  }),
});
