// A tool that returns the text of its arguments as its result.
import { JsonText, defineTool, runProcessorService } from '@millrace/testkit/bench';
import { z } from 'zod';

const echo = defineTool({
  name: 'echo-text',
  description: 'Returns its arguments.',
  effect: 'read',
  inputSchema: z.looseObject({}),
  execute: (_, { argsText }) => new JsonText(argsText),
});

await runProcessorService({ name: 'texts', version: '0.1.0', description: 'Returns texts.', tools: [echo] });
