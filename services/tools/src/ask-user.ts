// The tool `ask-user`: what a model cannot know it asks the person it works for. The run is put away until the answer is there.
import { defineTool } from '@millrace/processor';
import { z } from 'zod';

const MAX_QUESTION_CHARS = 4_000;
const MAX_CHOICES = 20;
const MAX_CHOICE_CHARS = 200;

const inputSchema = z.strictObject({
  question: z.string().min(1).max(MAX_QUESTION_CHARS).describe('the question, complete in itself'),
  choices: z
    .array(z.string().min(1).max(MAX_CHOICE_CHARS))
    .max(MAX_CHOICES)
    .optional()
    .describe('answers to choose from, where there are only so many'),
});

export const askUser = defineTool({
  name: 'ask-user',
  description:
    'Asks the user a question and waits for the answer, for days if need be. Use it when you cannot go on without something that only the user knows or decides.',
  inputSchema,
  idempotent: true,
  timeoutMs: 5_000,
  execute({ question, choices }, { suspend, resumeData }) {
    if (resumeData === undefined) return suspend({ question, ...(choices && { choices }) });
    return { answer: resumeData };
  },
});
