// Runs the conformance suite on every example.
import { processorConformance } from '@millrace/testkit';
import { examples } from './examples.ts';
import { contentFilter } from './content-filter.ts';

for (const example of examples) processorConformance(example);
processorConformance(contentFilter, {
  options: [{ blockedWords: ['secret', 'secure'] }],
  texts: ['nothing here', 'a secret in the middle', 'sec', 'the sect is not secure'],
});
