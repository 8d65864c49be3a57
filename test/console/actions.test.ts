// The actions of the console in a real browser, against real services: each changes what an operator sees, and what the services store.
import type { Page } from 'playwright-core';
import { eventually } from '@millrace/testkit';
import { connectBus } from '@millrace/testkit/bench';
import { beforeAll, describe, expect, test } from 'vitest';
import { applying } from '../e2e/apply-agent.ts';
import { script, type ScriptElement } from '../e2e/script.ts';
import { inspect } from './inspect-page.ts';
import { patient, useConsole } from './use-console.ts';

const AGENT = 'console-actions';

describe('the actions of the console', () => {
  const console = useConsole();
  const shared = console.usePage();

  const open = async (path: string): Promise<Page> => {
    const page = shared();
    await page.goto(`${console.url}/console${path}`);
    return page;
  };
  const start = async (element: ScriptElement, owner?: { threadId: string; resourceId: string }, said = '') => {
    const run = await console.stack.client.start(AGENT, `${said} ${script(element, { text: 'Noted.' })}`, owner);
    await run.result();
    return run.runId;
  };
  const confirm = async (page: Page, button: string, action: string) => {
    await page.getByRole('button', { name: button, exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: action }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached', ...patient });
  };

  beforeAll(async () => {
    await applying(console.stack)(AGENT, {
      tools: ['ask-user', 'send-feedback'],
      input: [{ use: 'approval-gate', options: { tools: ['send-feedback'] } }],
      questions: ['ask-user'],
      memory: { lastMessages: 10, semanticRecall: true },
    });
  });

  describe('the inbox', () => {
    const listWaiting = async (runId: string) => {
      const page = await open('/suspended');
      const waiting = page.locator('.inbox > li').filter({ hasText: runId });
      await waiting.waitFor(patient);
      return { page, waiting };
    };
    const readStatus = async (runId: string) => (await console.stack.client.runs.get(runId)).status;
    const feedback = { toolCalls: [{ name: 'send-feedback', args: { text: 'Good.' } }] };

    test('An answer continues its run', async () => {
      const runId = await start({ toolCalls: [{ name: 'ask-user', args: { question: 'For how many?' } }] });
      const { waiting } = await listWaiting(runId);
      await waiting.getByLabel('Answer').fill('four');
      await waiting.getByRole('button', { name: 'Answer' }).click();
      await waiting.waitFor({ state: 'detached', ...patient });
      await expect.poll(() => readStatus(runId), patient).toBe('finished');
    });

    test('A release ends its run', async () => {
      const runId = await start(feedback);
      const { page, waiting } = await listWaiting(runId);
      await waiting.getByRole('button', { name: 'Release' }).click();
      await page.getByRole('button', { name: 'Release the run' }).click();
      await page.getByText('No run waits').waitFor(patient);
      expect(await readStatus(runId)).toBe('released');
    });

    test('The inbox approves a call with edited arguments', async () => {
      const runId = await start(feedback);
      const { waiting } = await listWaiting(runId);
      await waiting.getByRole('button', { name: 'Edit' }).click();
      await waiting.getByLabel('Arguments of send-feedback').fill('{"text": ');
      expect(await waiting.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
      await waiting.getByLabel('Arguments of send-feedback').fill('{"text": "Excellent."}');
      await waiting.getByRole('button', { name: 'Approve the edited call' }).click();
      await expect.poll(() => readStatus(runId), patient).toBe('finished');
      const { result } = await console.stack.client.runs.get(runId);
      expect(JSON.stringify(result?.messages)).toContain('Excellent.');
      await expect.poll(() => waiting.count(), patient).toBe(0);
    });
  });

  test('A new agent begins with a valid definition, and is deleted', async () => {
    const page = await open('/agents');
    await page.getByRole('button', { name: 'New agent' }).click();
    await page.getByLabel('Name').fill('console-new');
    await page.getByRole('button', { name: 'Open the editor' }).click();
    await page.getByText('not applied').waitFor(patient);
    await page.getByText('valid', { exact: true }).waitFor(patient);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Revision 1').waitFor(patient);
    expect((await console.stack.client.agents.get('console-new')).agent.output).toEqual([{ use: 'pii' }]);
    await confirm(page, 'Delete', 'Delete the agent');
    await page.waitForURL(/\/agents$/);
    await expect(console.stack.client.agents.get('console-new')).rejects.toMatchObject({ code: 'agent-unknown' });
  });

  test('Cancel ends an active run', async () => {
    const run = await console.stack.client.start(
      AGENT,
      script({ text: 'word '.repeat(500), chunkSize: 1, delayMs: 50 }),
    );
    const page = await open(`/runs/${run.runId}`);
    await confirm(page, 'Cancel', 'Cancel the run');
    await page.locator('.badge', { hasText: 'Cancelled' }).waitFor(patient);
    expect((await run.result()).status).toBe('cancelled');
  });

  describe('threads and memory', () => {
    test('A thread is renamed, and deleted with its messages', async () => {
      await start({ text: 'Hello.' }, { threadId: 'to-delete', resourceId: 'bob' });
      const page = await open('/threads/to-delete');
      await page.getByRole('button', { name: 'Rename' }).click();
      await page.getByLabel('Title').fill('Dinner in Rome');
      await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
      await page.getByRole('heading', { name: 'Dinner in Rome' }).waitFor(patient);
      expect((await console.stack.client.threads.get('to-delete')).title).toBe('Dinner in Rome');
      await confirm(page, 'Delete', 'Delete the thread');
      await page.waitForURL(/\/threads$/);
      await expect.poll(() => page.getByRole('link', { name: 'Dinner in Rome' }).count(), patient).toBe(0);
      await expect(console.stack.client.threads.get('to-delete')).rejects.toMatchObject({ code: 'thread-unknown' });
    });

    test('The search by meaning finds the messages of the resource alone, and opens their thread', async () => {
      await start({ text: 'Noted.' }, { threadId: 'car', resourceId: 'carol' }, 'The car is parked on level four.');
      await start({ text: 'Noted.' }, { threadId: 'other', resourceId: 'dan' }, 'The car of Dan is parked at home.');
      const page = await open('/threads?resource=carol');
      await page.getByLabel('Search by meaning').fill('Where is the car parked?');
      await page.getByRole('button', { name: 'Search' }).click();
      const hits = page.getByRole('list', { name: 'Found messages' }).getByRole('link');
      await hits.first().waitFor(patient);
      expect((await hits.allInnerTexts()).join()).not.toContain('Dan');
      await hits.filter({ hasText: 'level four' }).first().click();
      await page.waitForURL(/\/threads\/car$/);
    });

    test('An erasure deletes the threads and runs of a resource in every store', async () => {
      const runId = await start({ text: 'Noted.' }, { threadId: 'eve-1', resourceId: 'eve' }, 'I live in Oslo.');
      const page = await open('/threads?resource=eve');
      await page.getByRole('link', { name: 'eve-1' }).waitFor(patient);
      await confirm(page, 'Erase', 'Erase the resource');
      await page.getByText('Erased', { exact: true }).waitFor(patient);
      const memory = page.getByRole('region', { name: 'Memory of eve' });
      expect(await memory.getByRole('status').innerText()).toMatch(/: [1-9]\d* deleted/);
      await page.getByText('No threads of eve').waitFor(patient);
      const { client } = console.stack;
      await expect(client.runs.get(runId)).rejects.toMatchObject({ code: 'run-unknown' });
      expect((await client.threads.search('Where does Eve live?', { resourceId: 'eve' })).length).toBe(0);
    });
  });

  test('A dead letter names its reason, and its run starts again', async () => {
    const { stack } = console;
    // A page of runs would report that its requests fail.
    await shared().goto('about:blank');
    const run = await stack.client.start(AGENT, script({ text: 'one two three', chunkSize: 1, delayMs: 300 }));
    await eventually(async () => (await stack.client.runs.get(run.runId)).status === 'running');
    await stack.signal('orchestrator', 'SIGKILL');
    await damageHead(console.nats.url, run.runId);
    await stack.start('orchestrator');
    expect((await run.result()).status).toBe('failed');
    const page = await open('/dead-letters');
    const letter = page.locator('.inbox > li').filter({ hasText: run.runId });
    await letter.waitFor(patient);
    expect(await letter.innerText()).toContain('run-state-unreadable');
    await letter.getByRole('button', { name: 'Run again' }).click();
    await letter.getByRole('link', { name: /Repeated as/ }).click(patient);
    await page.locator('.badge', { hasText: 'Finished' }).waitFor(patient);
    await page.getByRole('link', { name: run.runId }).waitFor();
  });

  test('A key is shown once, works, and ends when it is revoked', async () => {
    const page = await open('/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('textbox', { name: 'Subject' }).fill('frank');
    await page.getByLabel('Label').fill('laptop of Frank');
    await page.getByRole('textbox', { name: 'Agents' }).fill(`${AGENT}, other`);
    await page.getByLabel('Expires after days').fill('30');
    await page.getByRole('checkbox', { name: 'answer' }).uncheck();
    await page.getByRole('button', { name: 'Create' }).click();
    const key = await page.locator('.created code').innerText();
    await page.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row').filter({ hasText: 'laptop of Frank' });
    expect(await row.innerText()).toMatch(/run, read[^]*agents: console-actions, other[^]*expires in (29|30) d/);
    expect(await page.content()).not.toContain(key);
    const readRuns = async () =>
      (await fetch(`${console.url}/v1/runs`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await readRuns()).toBe(200);
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await row.waitFor({ state: 'detached', ...patient });
    await expect.poll(readRuns, patient).toBe(401);
  });

  test('A trial shows the verdict of a processor and the changed text', async () => {
    const { page } = await console.signIn('/processors/pii', { isFaulty: true });
    await page.getByRole('button', { name: 'Try' }).click();
    await page.locator('.diff ins').first().waitFor(patient);
    expect(await page.locator('.diff').innerText()).toContain('[REDACTED]');
    await page.getByLabel('Options', { exact: true }).fill('{"strategy": "nothing"}');
    await page.getByRole('button', { name: 'Try' }).click();
    await page.getByRole('alert').waitFor(patient);
    expect(await page.getByRole('alert').innerText()).toContain('strategy');
  }, 30_000);

  test('The editor names the line of a problem, compares, and applies', async () => {
    const { page } = await console.signIn(`/agents/${AGENT}?tab=definition`, { isFaulty: true });
    const editor = page.getByLabel('Definition in YAML');
    await editor.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('overridez: [pii]');
    await page.getByText('1 problem').waitFor(patient);
    expect(await page.locator('.issues').innerText()).toMatch(/Line \d+[^]*overridez/);
    const faulty = page.locator('.cm-line', { hasText: 'overridez: [pii]' });
    expect(await faulty.locator('.issue-note').innerText()).toContain('There is no field "overridez"');
    expect(await inspect(page, 'definition-invalid')).toEqual([]);
    for (let at = 0; at < 'z: [pii]'.length; at += 1) await page.keyboard.press('Backspace');
    await page.keyboard.type('s: [pii]');
    await page.getByText('valid', { exact: true }).waitFor(patient);
    await page.getByRole('button', { name: 'Compare' }).click();
    expect(await page.locator('.diff ins').allInnerTexts()).toEqual([expect.stringContaining('overrides: [pii]')]);
    expect(await inspect(page, 'definition-compared')).toEqual([]);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Revision 2').waitFor(patient);
  });
});

/** Makes the head of a run unreadable, as a defect of its store does. */
async function damageHead(natsUrl: string, runId: string): Promise<void> {
  const bus = await connectBus({ servers: natsUrl, name: 'damage' });
  bus.nc.publish(`$KV.mr_v1_STATE.head.default.${runId}`, '{"v":3}');
  await bus.close();
}
