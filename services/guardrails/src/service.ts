// What the service guardrails is: a host for the processors that judge what goes in and comes out. It keeps nothing.
import { processorService } from '@millrace/processor';
import { PROCESSORS } from './processors.ts';
import { closeThreads } from './work/task.ts';

export const guardrailsService = processorService({
  name: 'guardrails',
  version: '0.1.0',
  description: 'Guards: they judge, redact and refuse what goes into a run and what comes out of it.',
  processors: PROCESSORS,
  open: ({ resources }) => {
    resources.add('threads', closeThreads);
    return {};
  },
});
