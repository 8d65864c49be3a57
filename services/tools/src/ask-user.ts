// The tool `ask-user`: the model asks the user for missing information. The run is suspended until the answer arrives.
import { defineTool } from '@millrace/processor';
import { z } from 'zod';

const MAX_QUESTION_CHARS = 4_000;
const MAX_CHOICES = 20;
const MAX_CHOICE_CHARS = 200;

const inputSchema = z.strictObject({
  question: z.string().min(1).max(MAX_QUESTION_CHARS).describe('The question, complete in itself.'),
  choices: z
    .array(z.string().min(1).max(MAX_CHOICE_CHARS))
    .max(MAX_CHOICES)
    .optional()
    .describe('Choices, if only certain answers are possible.'),
});

export const askUser = defineTool({
  name: 'ask-user',
  description:
    'Asks the user a question and waits for the answer, for days if necessary. Use it when only the user has the information or the decision that you need.',
  inputSchema,
  idempotent: true,
  effect: 'read',
  timeoutMs: 5_000,
  execute({ question, choices }, { suspend, resumeData }) {
    if (resumeData === undefined) return suspend({ question, ...(choices && { choices }) });
    return { answer: resumeData };
  },
});
