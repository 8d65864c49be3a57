// Long runs against a provider with a context window: they end with the provider's error without context-compaction, and finish with it. The thread keeps
// everything, and the tools of a run with untrusted content stay suspended. An agent has at most 250 steps.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, RunResult } from '@millrace/contracts';
import { defineTool, useNats, useProcessors, useStack } from '@millrace/testkit';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { applying } from './apply-agent.ts';
import { script, type ScriptElement } from './script.ts';

/** Tokens of four characters. */
const WINDOW = 20_000;
const MAX_STEPS = 200;
const RESULT_LENGTH = 10_500;
const BUDGET = 15_000;

const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-compaction-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const nats = useNats();
const stack = useStack(nats, ['orchestrator', 'guardrails', 'message-history'], () => ({
  SQLITE_PATH: join(folder, 'memory.db'),
  CONTEXT_WINDOW: String(WINDOW),
}));

const SENTENCE = 'This is a sentence of plain words, without the word that the user searches for. ';
const writePage = (page: number) => `Page ${page}. ${SENTENCE.repeat(RESULT_LENGTH / SENTENCE.length)}`;
const sent: string[] = [];
useProcessors(nats, [], 'compaction-tools', [
  defineTool({
    name: 'read-page',
    description: 'Reads a page.',
    effect: 'read',
    inputSchema: z.strictObject({ page: z.number() }),
    execute: ({ page }) => writePage(page),
  }),
  defineTool({
    name: 'send-mail',
    description: 'Sends a mail.',
    effect: 'send',
    inputSchema: z.strictObject({ text: z.string() }),
    execute: ({ text }) => ({ sent: sent.push(text) }),
  }),
]);

const agent = applying(stack);
const read = (page: number): ScriptElement => ({ toolCalls: [{ name: 'read-page', args: { page } }] });
const readPages = (count: number): ScriptElement[] => Array.from({ length: count }, (_, page) => read(page));
const SUMMARY = 'Pages were read, and none has the word.';
const fence = '```';
const verdict = `${fence}verdict${JSON.stringify([{ for: 'summary', answer: { summary: SUMMARY } }])}${fence}`;

async function run(name: string, elements: ScriptElement[], options?: JsonObject, more: JsonObject = {}) {
  const compaction = options ? [{ use: 'ConversationCompactor', options: { budget: BUDGET, ...options } }] : [];
  const lists = { input: ['memory', ...compaction], memory: { lastMessages: 10 }, maxSteps: MAX_STEPS };
  const applied = await agent(name, { ...lists, tools: ['read-page', 'send-mail'], ...more });
  const started = await stack.client.start(applied, `${verdict} ${script(...elements)}`, {
    threadId: name,
    resourceId: name,
  });
  const result = await started.result();
  const events = await stack.client.runs.events(started.runId);
  return { result, events };
}

test('a run above the window ends with the error of the provider without context-compaction', async () => {
  const { result } = await run('refused', [...readPages(9), { text: 'Done.' }]);
  expect(result).toMatchObject({
    status: 'failed',
    error: { code: 'model-call-failed', message: expect.stringContaining('maximum context length') },
  });
});

/** Returns the number of summaries that the run has paid for. */
const countCalls = ({ usage }: Pick<RunResult, 'usage'>): number =>
  usage.processors?.find(({ entry }) => entry === 'context-compaction')?.modelCalls ?? 0;

/** Returns the thread as JSON, read in pages of messages. */
async function readThread(threadId: string): Promise<string> {
  const stored: unknown[] = [];
  for (;;) {
    const { messages } = await stack.client.threads.messages(threadId, { offset: stored.length, limit: 20 });
    stored.push(...messages);
    if (messages.length === 0) return JSON.stringify(stored);
  }
}

describe('a run with tool results above the window', () => {
  test.each<[string, number, JsonObject, number]>([
    ['summaries', MAX_STEPS, { keepRecent: 2, model: 'openai-chat/writer' }, MAX_STEPS / 4],
    ['shortened-results', 60, { keepRecent: 1, resultHeadTokens: 15, resultTailTokens: 5 }, 0],
    ['dropped-messages', 60, { keepRecent: 1, drop: true }, 0],
  ])(
    'finishes with %s in %i steps of 10 kB, and the thread keeps everything',
    async (name, steps, options, mostCalls) => {
      const pages = steps - 1;
      const { result } = await run(name, [...readPages(pages), { text: 'Done.' }], options);
      expect(result).toMatchObject({ status: 'finished', text: 'Done.' });
      const texts = result.steps.flatMap(({ toolResults }) => toolResults.map(({ result: text }) => text));
      expect(texts).toEqual(Array.from({ length: pages }, (_, page) => writePage(page)));
      expect(new Set(result.violations.map(({ rule }) => rule))).toEqual(new Set(['context-compacted']));
      const modelCalls = countCalls(result);
      expect(modelCalls).toBeLessThanOrEqual(mostCalls);
      expect(modelCalls > 0).toBe(mostCalls > 0);
      const stored = await readThread(name);
      expect(texts.filter((text) => !stored.includes(JSON.stringify(text)))).toEqual([]);
      expect(stored).not.toMatch(/characters omitted|\[Summary by/);
    },
    180_000,
  );
});

test('a tool that sends stays suspended after a summary has replaced untrusted results in the prompt', async () => {
  const elements = [
    ...readPages(16),
    { toolCalls: [{ name: 'send-mail', args: { text: 'page' } }] },
    { text: 'Done.' },
  ];
  const { result, events } = await run('untrusted', elements, {
    keepRecent: 1,
    budget: 8_000,
    model: 'openai-chat/writer',
  });
  expect(result).toMatchObject({ status: 'suspended' });
  expect(countCalls(result)).toBeGreaterThan(0);
  expect(sent).toEqual([]);
  expect(events.find(({ event }) => event === 'untrusted-call')).toMatchObject({
    tool: 'send-mail',
    decision: 'approve',
    origins: expect.arrayContaining(['tool:read-page']),
  });
});
