// The tools of the load. Each execution appends a line to a file that outlives the process: `note` can be retried and
// has one effect per key, `book` must never be executed twice, `ask` suspends its run until it is answered. LEDGER: the
// file.
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { defineTool, runProcessorService } from '@millrace/testkit/bench';
import { z } from 'zod';

const ledger = process.env['LEDGER'] ?? '';
/** Long enough for a fault between the effect and the answer. */
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
