// All of them as one service, unmodified, and a tool that both sides have. GUARD_URL: where those that ask a model ask it.
import { foreignProcessor } from '@millrace/foreign';
import { defineTool, runProcessorService } from '@millrace/processor';
import { z } from 'zod';
import { echoed } from './echo.ts';
import { THEIRS, makeTheirs } from './theirs.ts';

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
  inputSchema: z.strictObject({ text: z.string() }),
  execute: ({ text }) => echoed(text),
});

await runProcessorService({
  name: 'theirs',
  version,
  description: 'Processors of the reference.',
  processors,
  tools: [echo],
});
