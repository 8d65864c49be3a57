// The tools of the load. Each execution is a line of a file that outlives the process: `note` may be called again and has one effect
// for each key, `book` must never be called twice, `ask` puts its run away until it is answered. LEDGER: the file.
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { defineTool, runProcessorService } from '@millrace/testkit/bench';
import { z } from 'zod';

const ledger = process.env['LEDGER'] ?? '';
/** Long enough that a fault may strike between the effect and the answer. */
const ANSWER_AFTER_MS = 150;
const inputSchema = z.strictObject({ key: z.string() });

const tool = (name: string, idempotent: boolean) =>
  defineTool({
    name,
    description: `Writes down that it was called: ${name}.`,
    inputSchema,
    idempotent,
    timeoutMs: 8_000,
    async execute({ key }, { idempotencyKey }) {
      appendFileSync(ledger, `${JSON.stringify({ tool: name, key, idempotencyKey })}\n`);
      await delay(ANSWER_AFTER_MS);
      return { done: key };
    },
  });

const ask = defineTool({
  name: 'ask',
  description: 'Asks the caller.',
  inputSchema,
  idempotent: true,
  timeoutMs: 8_000,
  execute: ({ key }, { suspend, resumeData }) => (resumeData === undefined ? suspend({ question: key }) : resumeData),
});

await runProcessorService({
  name: 'ledger',
  version: '0.1.0',
  description: 'Tools that write down each call.',
  tools: [tool('note', true), tool('book', false), ask],
});
