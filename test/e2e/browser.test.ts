// A page in a real Chromium connects to NATS over WebSocket with an API key: it follows its own caller's runs and is
// refused everything else.
import { join } from 'node:path';
import { connect, type Client } from '@millrace/client';
import { hashCaller } from '@millrace/contracts';
import { useNats, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { applying } from './apply-agent.ts';
import { useBrowser } from './browser/open-page.ts';
import { script } from './script.ts';

describe('a page with an API key', () => {
  const nats = useNats({ webSocketPort: 0 });
  const stack = useStack(nats, ['orchestrator', 'guardrails']);
  const browser = useBrowser();
  const clients: Client[] = [];
  const tenant = 'default';
  let bob: Client;

  beforeAll(async () => {
    const folder = join(nats.keys ?? '', 'auth');
    await stack.start('auth', {
      AUTH_ISSUER_FILE: join(folder, 'issuer.nk'),
      AUTH_ENCRYPTION_FILE: join(folder, 'encryption.nk'),
      AUTH_SYSTEM_FILE: join(folder, 'system.nk'),
    });
    await applying(stack)('page', { output: ['pii'] });
    const { key } = await stack.client.keys.create({ scopes: ['run', 'read'], subject: 'bob' });
    bob = await connect({ url: nats.url, token: key, subject: 'bob' });
    clients.push(bob);
  }, 120_000);
  afterAll(() => Promise.all(clients.map((client) => client.close())));

  const openPage = async (subject = 'ada') => {
    const { key, id } = await stack.client.keys.create({ scopes: ['run', 'read', 'answer'], subject });
    const page = await browser.openPage();
    await page.waitForFunction(() => 'millrace' in globalThis);
    onTestFinished(() => page.close());
    const options = { url: nats.webSocketUrl, token: key, tenant, subject };
    const caller = await page.evaluate((given) => globalThis.millrace.connect(given), options);
    return { page, caller, id, options };
  };

  test('follows a run of its own, with the masks of the output chain', async () => {
    const { page, caller } = await openPage();
    expect(caller).toBe(await hashCaller(tenant, 'ada'));
    const text = script({ text: 'Write to ada@example.com, please.', chunkSize: 5 });
    const run = await page.evaluate((given) => globalThis.millrace.run('page', given, 'page-run-1'), text);
    expect(run.reply).toEqual({ ok: { runId: 'page-run-1', accepted: true, created: true } });
    expect(run.types.at(-1)).toBe('finish');
    expect(run.text).toBe('Write to ***@***.***, please.');
    const { runs } = await stack.client.runs.list();
    expect(runs.find(({ runId }) => runId === 'page-run-1')).toMatchObject({ subject: 'ada', status: 'finished' });
  });

  test("is refused the chunks of another caller, and hears nothing of that caller's run", async () => {
    const { page, caller } = await openPage();
    const other = await hashCaller(tenant, 'bob');
    const patterns = [`mr.v1.chunks.${tenant}.${other}.*`, 'mr.v1.chunks.>', `mr.v1.chunks.*.*.*`, 'mr.v1.>', '>'];
    const own = `mr.v1.chunks.${tenant}.${caller}.*`;
    expect(await page.evaluate((given) => globalThis.millrace.subscribe(given), [...patterns, own])).toEqual(patterns);
    const run = await bob.start('page', script({ text: 'For Bob alone.' }));
    expect((await run.result()).text).toBe('For Bob alone.');
    await page.evaluate((given) => globalThis.millrace.run('page', given, 'page-run-2'), script({ text: 'Mine.' }));
    const heard = await page.evaluate(() => globalThis.millrace.listHeard());
    expect(heard.length).toBeGreaterThan(0);
    expect(new Set(heard)).toEqual(new Set([`mr.v1.chunks.${tenant}.${caller}.page-run-2`]));
  });

  test('is refused foreign inboxes, the subjects of services, and the verbs of others', async () => {
    const { page, caller } = await openPage();
    const other = await hashCaller(tenant, 'bob');
    const heard = [
      '_INBOX.>',
      `_INBOX.${other}.>`,
      'mr.v1.stage.>',
      'mr.v1.stage.processInput.guardrails.pii',
      'mr.v1.api.>',
      'mr.v1.auth.revoked',
      '$SRV.>',
      '$SYS.>',
    ];
    expect(await page.evaluate((given) => globalThis.millrace.subscribe(given), heard)).toEqual(heard);
    const published = [
      `mr.v1.api.submit.${tenant}.${other}.r1`,
      `mr.v1.api.submit.${tenant}.operator.r1`,
      `mr.v1.api.submit.other.${caller}.r1`,
      `mr.v1.api.resume.${tenant}.${caller}.r1`,
      `mr.v1.api.suspended-list.${tenant}.${caller}`,
      `mr.v1.api.keys-create.${tenant}.operator`,
      `mr.v1.api.agents-apply.${tenant}.${caller}`,
      `mr.v1.chunks.${tenant}.${caller}.r1`,
      'mr.v1.stage.processInput.guardrails.pii',
      'mr.v1.out.o1.s1',
      'mr.v1.auth.verify',
      `_INBOX.${other}.x`,
      '$JS.API.STREAM.LIST',
      '$KV.mr_v1_KEYS.abcdefgh',
    ];
    expect(await page.evaluate((given) => globalThis.millrace.publish(given), published)).toEqual(published);
  });

  test("cannot read another caller's run through its own verbs", async () => {
    const { page, caller } = await openPage();
    const run = await bob.start('page', script({ text: 'Secret.' }));
    await run.result();
    const subject = `mr.v1.api.run.${tenant}.${caller}.${run.runId}`;
    const answer = await page.evaluate((given) => globalThis.millrace.ask(given, '{}'), subject);
    expect(answer).toContain('run-unknown');
  });

  test('is disconnected when its key is revoked, and cannot connect with it again', async () => {
    const { page, id, options } = await openPage();
    const ended = page.evaluate(() => globalThis.millrace.waitForEnd());
    await stack.client.keys.revoke(id);
    await ended;
    const refused = page.evaluate((given) => globalThis.millrace.connect(given), options);
    await expect(refused).rejects.toThrow(/Authorization Violation|AuthorizationError/i);
  });
});
