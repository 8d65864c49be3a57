// The examples as one service. `PROCESSORS=lowercase,word-counter` serves some of them.
import { runProcessorService } from '@millrace/processor';
import { examples } from './examples.ts';

await runProcessorService({
  name: 'examples',
  version: '0.1.0',
  description: 'Processors to read, and to begin from.',
  processors: examples,
});
