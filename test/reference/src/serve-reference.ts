// Serves all of them as one service, unmodified, with a tool of both sides. GUARD_URL: the model of the judging
// processors.
import { foreignProcessor } from '@millrace/foreign';
import { defineTool, runProcessorService } from '@millrace/processor';
import { z } from 'zod';
import { echoText } from './echo.ts';
import { THEIRS, makeTheirs } from './reference-processors.ts';

const version = '1.71.0';
const options = z.looseObject({});
const processors = Object.keys(THEIRS).map((id) =>
  foreignProcessor((given: Record<string, unknown>) => makeTheirs(id, given), {
    id,
    version,
    options,
    timeoutMs: 30_000,
  }),
);
const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  effect: 'read',
  inputSchema: z.strictObject({ text: z.string() }),
  execute: ({ text }) => echoText(text),
});

await runProcessorService({
  name: 'theirs',
  version,
  description: 'Processors of the reference.',
  processors,
  tools: [echo],
});
