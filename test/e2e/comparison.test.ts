// The comparison of docs/comparison.md: the same faults in this system and in others.
// Installs the other systems, so it runs by command: npm run -s test:compare.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { useNats, useStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { root } from './run-command.ts';

const isAsked = process.env['MILLRACE_COMPARE'] === '1';
if (!isAsked) process.stderr.write('Other systems are compared only by `npm run test:compare`.\n');
const COMPARE_MS = 900_000;
const CASES = ['no-guard', 'input-throws', 'stream-throws', 'guard-killed', 'cut-secret'];
const resultSchema = z.object({
  version: z.string(),
  system: z.string(),
  case: z.string(),
  passed: z.boolean(),
  text: z.string(),
  ended: z.string(),
});
/** Cases in which the text passes the guard, as docs/comparison.md has them. */
const PASSES: Record<string, readonly string[]> = {
  millrace: [],
  mastra: ['stream-throws'],
  langchain: ['stream-throws', 'cut-secret'],
  'ai-sdk': ['cut-secret'],
  litellm: [],
};

/** The place of the card number in the text that the reader receives of the last case. */
const CARDS: Record<string, string> = {
  millrace: '[REDACTED]',
  mastra: '[CREDIT_CARD]',
  langchain: '4111 1111 1111 1111',
  'ai-sdk': '4111 1111 1111 1111',
  litellm: '[CREDIT_CARD_REDACTED]',
};

describe.skipIf(!isAsked)('the comparison', () => {
  const nats = useNats();
  useStack(nats, ['orchestrator', 'guardrails']);

  test.each(Object.keys(PASSES))(
    'The text passes the guard of %s in the documented cases, and in no other',
    async (system) => {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [join(root, 'examples/comparison/compare.mjs'), '--json', system],
        { env: { ...process.env, NATS_URL: nats.url } },
      );
      process.stderr.write(stdout);
      const results = stdout
        .trim()
        .split('\n')
        .map((line) => resultSchema.parse(JSON.parse(line)));
      const passed = results.filter((result) => result.passed).map((result) => result.case);
      // Without a guard the text passes: a text that does not pass is stopped by the guard.
      expect(passed).toEqual(['no-guard', ...(PASSES[system] ?? [])]);
      expect(results.map((result) => result.case)).toEqual(CASES);
      expect(results.at(-1)).toMatchObject({ ended: 'finished', text: `The card is ${CARDS[system]}, thank you.` });
    },
    COMPARE_MS,
  );
});
