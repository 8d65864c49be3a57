import { DEFAULT_THREAD_TITLE, type JsonValue } from '@millrace/contracts';
import { createModels } from '@millrace/models';
import { startTestProvider, type TestProvider } from '@millrace/models/testing';
import { eventually } from '@millrace/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HistoryStore } from '../store/history-store.ts';
import { openSqliteHistoryStore } from '../stores/sqlite/sqlite-history-store.ts';
import { block, message, messagesOfRun } from '../testing/history-fixtures.ts';
import { cleanTitle, createThreadTitles, type ThreadTitles } from './thread-titles.ts';

describe('titles of threads', () => {
  const tenant = 'acme';
  let provider: TestProvider;
  let store: HistoryStore;
  let titles: ThreadTitles;
  let warnings: string[];
  beforeEach(async () => {
    provider = await startTestProvider();
    store = openSqliteHistoryStore({ path: ':memory:' });
    warnings = [];
    const log = { warn: (_fields: unknown, text?: string) => void warnings.push(text ?? '') };
    const models = createModels({ apiKey: 'none', baseUrl: provider.baseUrl });
    titles = createThreadTitles({ store, models, defaultModel: 'openai/gpt-5-mini', log });
  });
  afterEach(async () => {
    await titles.close();
    await store.close();
    await provider.close();
  });
  const save = async (threadId: string, ...texts: string[]) => {
    const messages = texts.map((text, at) => message(`m${at}`, text));
    await store.saveBlock(block({ tenant, threadId, messages }));
    return { tenant, threadId, owner: 'ada' };
  };
  const readTitle = async (threadId: string) => (await store.getThread({ tenant, threadId })).title;
  const answerTitle = (title: JsonValue) => provider.answer(() => ({ title }));

  test('the model reads the first message of a user, cut, and its answer is the title', async () => {
    answerTitle('Zoo hours');
    const thread = await save('a', ' ', `Where is the zoo? ${'x'.repeat(3_000)}`, 'And when?');
    titles.request(thread, { instructions: 'Name it.' });
    await eventually(async () => expect(await readTitle('a')).toBe('Zoo hours'));
    const body = JSON.stringify(provider.requests[0]?.body);
    expect(body).toContain('Where is the zoo?');
    expect(body).toContain('Name it.');
    expect(body).not.toContain('And when?');
    expect(body).not.toContain('x'.repeat(2_000));
    titles.request(thread, true);
    await titles.close();
    expect(provider.requests).toHaveLength(1);
  });

  test('a title that a caller sets during the call of the model stays', async () => {
    const thread = await save('a', 'Where is the zoo?');
    provider.answer(async () => {
      await store.updateThread(thread, { title: 'Mine' });
      return { title: 'Zoo hours' };
    });
    titles.request(thread, true);
    await eventually(() => expect(provider.requests).toHaveLength(1));
    await eventually(async () => expect(await readTitle('a')).toBe('Mine'));
    titles.request(thread, true);
    expect([await readTitle('a'), provider.requests.length, warnings]).toEqual(['Mine', 1, []]);
  });

  test('a failing model leaves the thread without a title and a warning in the log, and the next request asks again', async () => {
    const thread = await save('a', 'Where is the zoo?');
    provider.fail({ status: 400 });
    answerTitle(' ');
    for (const count of [1, 2]) {
      titles.request(thread, true);
      await eventually(() => expect(warnings).toHaveLength(count));
    }
    expect(new Set(warnings)).toEqual(new Set(['the thread gets no title']));
    expect(await readTitle('a')).toBe(DEFAULT_THREAD_TITLE);
    answerTitle('Zoo hours');
    titles.request(thread, true);
    await eventually(async () => expect(await readTitle('a')).toBe('Zoo hours'));
  });

  test('at most 16 models are asked at once, each thread once, and close cancels them', async () => {
    provider.failAlways('silent');
    for (let at = 0; at < 20; at += 1) {
      const thread = await save(`t${at}`, 'Where is the zoo?');
      titles.request(thread, true);
      titles.request(thread, true);
    }
    await eventually(() => expect(provider.requests).toHaveLength(16));
    // Each of the four threads above the bound was requested twice.
    expect(warnings).toHaveLength(8);
    await titles.close();
    expect(await readTitle('t0')).toBe(DEFAULT_THREAD_TITLE);
  });

  test('a thread without a text of a user gets no title, and false asks no model', async () => {
    await store.saveBlock(block({ tenant, threadId: 'b', messages: messagesOfRun('run-1', 2, '') }));
    titles.request({ tenant, threadId: 'b', owner: 'ada' }, true);
    titles.request(await save('a', 'Where is the zoo?'), false);
    await titles.close();
    expect([provider.requests, warnings]).toEqual([[], []]);
  });

  test.each([
    ['two\r\n\tlines\u2028and more', 'two lines and more'],
    ['\u0000\u001b[31mred\u202e\u200b end', '[31mred end'],
    ['x'.repeat(300), 'x'.repeat(200)],
    [`${'x'.repeat(199)}😀`, 'x'.repeat(199)],
    [' \n ', ''],
  ])('a title is one line of plain text with at most 200 code units: %j', (text, title) => {
    expect(cleanTitle(text)).toBe(title);
  });
});
