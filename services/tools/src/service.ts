// Defines the service tools, the host of the tools that ship with Millrace.
import { processorService } from '@millrace/processor';
import { calculator } from './calculator/calculator.ts';
import { askUser } from './ask-user.ts';
import { createClock } from './clock.ts';
import { createSendFeedback } from './send-feedback.ts';

export const toolsService = processorService({
  name: 'tools',
  version: '0.1.0',
  description: 'Tools for models: a calculator, a clock, a question to the user, feedback.',
  tools: [calculator, createClock(() => new Date()), askUser],
  open: ({ log }) => ({
    tools: [createSendFeedback((feedback) => log.info({ feedback }, 'feedback of a user'))],
  }),
});
