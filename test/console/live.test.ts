// Pages of a run while it is active, in a real browser: the calls in flight, retries, withdrawn text, cost, and the filters of the list.
import { defineMethods, defineProcessor, eventually, useProcessors } from '@millrace/testkit';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { applying } from '../e2e/apply-agent.ts';
import { script } from '../e2e/script.ts';
import { inspect } from './inspect-page.ts';
import { patient, useConsole } from './use-console.ts';

const AGENT = 'console-live';
let release = () => {};

/** Holds its call until the test releases it. */
const holding = defineMethods(
  'holding',
  { processInput: () => new Promise<undefined>((resolve) => (release = () => resolve(undefined))) },
  { policy: { timeoutMs: 60_000, attempts: 1 } },
);
/** Rejects the first answer after it has streamed. */
const doubting = defineMethods(
  'doubting',
  {
    processOutputStep({ text, abort }) {
      if (text.includes('first')) abort('Not the first.', { retry: true });
    },
  },
  { reads: ['response'] },
);

describe('an active run in the console', () => {
  const console = useConsole();
  useProcessors(console.nats, [holding, doubting], 'live-processors');
  const claimant = defineProcessor({ ...holding, id: 'pii', description: 'claims the name of a shipped guard' });
  useProcessors(console.nats, [claimant], 'zz-claimant');
  const shared = console.usePage();
  const open = async (path: string): Promise<Page> => {
    const page = shared();
    await page.goto(`${console.url}/console${path}`);
    return page;
  };

  beforeAll(async () => {
    const prices = { 'openai/gpt-5-mini': { input: 1, output: 2 } };
    await applying(console.stack)(AGENT, { input: ['holding'], prices });
    await applying(console.stack)('console-doubt', { output: ['doubting'], maxProcessorRetries: 2 });
  });

  test('A run shows the call for which it waits and its age, then the verdict, the replica, tokens and cost', async () => {
    const run = await console.stack.client.start(AGENT, script({ text: 'Passed.' }));
    const page = await open(`/runs/${run.runId}`);
    const call = page.locator('.timeline .stage', { hasText: 'holding' });
    await call.getByText('working').waitFor(patient);
    expect(await call.innerText()).toMatch(/Input[^]*\d (ms|s)[^]*working, replica \w+/);
    expect(await inspect(page, 'run-active')).toEqual([]);
    release();
    const entry = page.locator('.entry-row', { hasText: 'holding' });
    await entry.getByText('Passed').waitFor(patient);
    expect(await entry.innerText()).toMatch(/\d (ms|s)[^]*on \w{6}/);
    const facts = page.locator('.facts');
    await expect.poll(() => facts.innerText(), patient).toMatch(/Tokens[^]*\(\d+ in, \d+ out\)[^]*Cost\n0\.0/);
    await call.waitFor({ state: 'detached', ...patient });
  });

  test('A passage that a processor rejects after it streamed is withdrawn in the chat and marked in the chunks', async () => {
    const page = await open('/chat/console-doubt');
    const slow = { chunkSize: 3, delayMs: 60 };
    const text = script({ text: 'This is the first answer of two.', ...slow }, { text: 'The second answer.', ...slow });
    await page.getByLabel('Message', { exact: true }).fill(text);
    await page.getByRole('button', { name: 'Send' }).click();
    const prose = page.getByRole('article', { name: 'Answer' }).locator('.prose');
    await expect.poll(async () => (await prose.allInnerTexts()).join(), patient).toContain('first');
    await page.locator('[data-kind=withdrawn]').waitFor(patient);
    await expect.poll(async () => (await prose.allInnerTexts()).join(), patient).toBe('The second answer.');
    await page.getByRole('link', { name: 'Open the run' }).first().click();
    await page.locator('.fall-verdict', { hasText: 'Sent back' }).waitFor(patient);
    await page.getByRole('tab', { name: 'Chunks' }).click();
    await page.getByText('1 retraction').waitFor(patient);
  });

  test('The list of processors names a refused advertisement, and the load of each replica', async () => {
    const page = await open('/processors');
    await page.getByText('pii of zz-claimant').waitFor(patient);
    await open('/processors/prompt-injection');
    const replica = page.getByRole('row').nth(-1);
    await replica.waitFor(patient);
    expect(await replica.innerText()).toMatch(/of \d+/);
  });

  test('Each filter of the list of runs selects, and the address holds all of them', async () => {
    const { client } = console.stack;
    const { key } = await client.keys.create({ scopes: ['run', 'read'], subject: 'grace' });
    const response = await fetch(`${console.url}/v1/agents/console-doubt/runs?wait=20`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input: script({ text: 'Hi.' }), threadId: 'of-grace' }),
    });
    const { runId } = z.object({ runId: z.string() }).parse(await response.json());
    await eventually(async () => (await client.runs.list({ subject: 'grace' })).runs.length === 1);
    const page = await open('/runs');
    const listRuns = async () => (await page.locator('tbody tr .mono').allInnerTexts()).join();
    const fill = async (label: string, value: string) => {
      await page.getByLabel(label).fill(value);
      await page.keyboard.press('Enter');
    };
    await page.getByLabel('Agent').selectOption('console-doubt');
    await expect.poll(() => page.locator('tbody tr').count(), patient).toBe(2);
    await fill('Subject', 'grace');
    await expect.poll(listRuns, patient).toBe(runId);
    await fill('Thread', 'of-grace');
    await fill('Since', '2026-01-01T00:00');
    await page.waitForURL(/since=/);
    await page.reload();
    await expect.poll(listRuns, patient).toBe(runId);
    await fill('Until', '2026-01-02T00:00');
    await page.getByText('No run matches these filters').waitFor(patient);
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await expect.poll(() => page.locator('tbody tr').count(), patient).toBeGreaterThan(2);
  });

  test('A user without rights of an operator meets no error on its pages, and sees only its own runs', async () => {
    const { key } = await console.stack.client.keys.create({ scopes: ['run', 'read', 'answer'], subject: 'heidi' });
    const { page } = await console.signIn('/chat/console-doubt', { key });
    await page.getByLabel('Message', { exact: true }).fill(script({ text: 'Hello, Heidi.' }));
    await page.getByRole('button', { name: 'Send' }).click();
    const answer = page.getByRole('article', { name: 'Answer' });
    await answer.getByText('Hello, Heidi.').waitFor(patient);
    await answer.getByRole('link', { name: 'Open the run' }).click();
    await page.locator('.entry-row', { hasText: 'doubting' }).waitFor(patient);
    expect(await page.getByRole('tab').allInnerTexts()).toEqual(['Waterfall', 'Chunks']);
    expect(await page.locator('.facts').getByRole('link', { name: 'console-doubt' }).count()).toBe(0);
    for (const [name, shown] of [
      ['Runs', 'heidi'],
      ['Threads and memory', 'No threads yet'],
      ['Agents', 'console-doubt'],
    ] as const) {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
      await page.locator('main').getByText(shown, { exact: true }).first().waitFor(patient);
    }
    await page.goto(`${console.url}/console/runs`);
    await expect.poll(() => page.locator('tbody tr').count(), patient).toBe(1);
  });
});
