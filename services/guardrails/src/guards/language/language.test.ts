import { readMessageText, type JsonObject } from '@millrace/contracts';
import { inputArgs, catchStop } from '@millrace/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { NO_MODELS } from '../../model/guard-models.ts';
import { readJudgedText, useJudgingProvider } from '../../testing/judging-provider.ts';
import { messageInParts, countTurns } from '../../testing/messages.ts';
import { detectLanguages } from './detect-language.ts';
import { defineLanguage } from './language.ts';

const german = 'Wo finde ich die Rechnung für meine letzte Bestellung?';
const english = 'Where do I find the invoice of my last order?';
const judging = useJudgingProvider();
beforeEach(() => {
  judging.provider.requests.length = 0;
});
const judge = (options: JsonObject, args: ReturnType<typeof inputArgs>) => {
  const definition = defineLanguage(judging.models);
  return definition.create(definition.options.parse(options)).processInput?.(args);
};

describe('language detection', () => {
  const { signal } = new AbortController();
  const detect = async (text: string) =>
    (await detectLanguages(text, { threshold: 0.7, minLength: 10 }, signal)).map(({ languages }) => languages[0]);
  test.each([
    ['en', english],
    ['de', german],
    ['es', '¿Dónde encuentro la factura de mi último pedido?'],
    ['pl', 'Gdzie znajdę fakturę za moje ostatnie zamówienie?'],
    ['ja', '最後の注文の請求書はどこにありますか？'],
    ['ar', 'أين أجد فاتورة طلبي الأخير؟'],
    [undefined, 'ok'],
    [undefined, '12345 67890'],
    [undefined, ''],
  ])('eld detects %s: %s', async (expected, text) => expect((await detect(text))[0]).toBe(expected));
  test('the detection finds another language after a long beginning', async () => {
    expect(new Set(await detect(`${`${english} `.repeat(50)}${`${german} `.repeat(50)}`))).toEqual(
      new Set(['en', 'de']),
    );
  });
});

test('a long text yields to the event loop after every second part', async () => {
  const { signal } = new AbortController();
  let stretches = 0;
  const turns = await countTurns(async () => {
    const text = `${english} `.repeat(1_000);
    stretches = (await detectLanguages(text, { threshold: 0.7, minLength: 10 }, signal)).length;
  });
  expect(turns).toBeGreaterThanOrEqual(Math.floor(stretches / 2));
});

describe('messages in a wanted language', () => {
  test.each(['warn', 'block'])('the message passes with the strategy %s', async (strategy) => {
    const args = inputArgs([english, 'ok', '12345']);
    await judge({ strategy }, args);
    expect(args.violations).toEqual([]);
  });
});

describe('messages in another language', () => {
  test('the strategy detect adds the language to the metadata and reports a violation', async () => {
    const args = inputArgs([german, english]);
    await judge({}, args);
    expect(args.messageList.get.input.db().map(({ content }) => content.metadata)).toEqual([
      { language: 'de' },
      { language: 'en' },
    ]);
    expect(args.violations).toMatchObject([{ rule: 'language-not-wanted', count: 1, detail: { languages: ['de'] } }]);
  });
  test('the strategy warn reports the message', async () => {
    const args = inputArgs([german]);
    await judge({ strategy: 'warn' }, args);
    expect(args.violations).toMatchObject([{ strategy: 'warn' }]);
    expect(args.messageList.takeOps()).toEqual([]);
  });
  test('the strategy block stops the run', async () => {
    expect(await catchStop(() => judge({ strategy: 'block' }, inputArgs([german])))).toMatchObject({
      type: 'abort',
      reason: 'A message is not in en.',
    });
  });
  test('the guard judges the whole message, so a beginning in a wanted language hides nothing', async () => {
    const text = `${`${english} `.repeat(40)}${`${german} `.repeat(40)}`;
    expect(await catchStop(() => judge({ strategy: 'block' }, inputArgs([text])))).toMatchObject({ type: 'abort' });
  });
  test('the guard translates a message part by part with one model call', async () => {
    judging.provider.answer((request) => {
      const texts: string[] = JSON.parse(readJudgedText(request));
      return { texts: texts.map((text) => `(en) ${text}`) };
    });
    const args = inputArgs([messageInParts('m0', german, german), english]);
    await judge({ strategy: 'translate', model: 'openai-chat/judge' }, args);
    expect(args.messageList.get.input.db().map(readMessageText)).toEqual([`(en) ${german}(en) ${german}`, english]);
    expect(judging.provider.requests).toHaveLength(1);
  });
  test.each(['text/plain', 'application/json'])(
    'the guard judges and translates a file of the type %s',
    async (type) => {
      const data = Buffer.from(german).toString('base64');
      const file = { type: 'file' as const, mimeType: type, data };
      const message = messageInParts('m0', english);
      const withFile = { ...message, content: { ...message.content, parts: [...message.content.parts, file] } };
      expect(await catchStop(() => judge({ strategy: 'block' }, inputArgs([withFile])))).toMatchObject({
        type: 'abort',
      });
      judging.provider.answer((request) => {
        const texts: string[] = JSON.parse(readJudgedText(request));
        return { texts: texts.map((text) => `(en) ${text}`) };
      });
      const args = inputArgs([withFile]);
      await judge({ strategy: 'translate', model: 'openai-chat/judge' }, args);
      const translated = Buffer.from(`(en) ${german}`).toString('base64');
      expect(args.messageList.get.input.db()[0]?.content.parts[1]).toEqual({ ...file, data: translated });
    },
  );
  test.each([
    ['an image', 'image/png', Buffer.from(german).toString('base64')],
    ['a URL', 'text/plain', 'https://example.com/eine-deutsche-rechnung-meiner-bestellung.txt'],
  ])('the guard judges no text of %s', async (_what, mimeType, data) => {
    const message = messageInParts('m0', english);
    const file = { type: 'file' as const, mimeType, data };
    const args = inputArgs([{ ...message, content: { format: 2, parts: [file] } }]);
    await judge({ strategy: 'block' }, args);
    expect(args.violations).toEqual([]);
  });
  test('an incomplete translation is a failure', async () => {
    judging.provider.answer(() => ({ texts: [] }));
    const options = { strategy: 'translate', model: 'openai-chat/judge' };
    await expect(judge(options, inputArgs([german]))).rejects.toMatchObject({ code: 'extraction-failed' });
  });
});

describe('uncertain messages', () => {
  const options = { strategy: 'block', model: 'openai-chat/judge' };
  test('the guard asks the model about uncertain messages only', async () => {
    judging.provider.answer(() => ({ language: 'de' }));
    expect(await catchStop(() => judge(options, inputArgs([english, 'Hallo Welt'])))).toMatchObject({ type: 'abort' });
    expect(judging.provider.requests.map(readJudgedText)).toEqual(['Hallo Welt']);
  });
  test('a message that the model cannot resolve passes', async () => {
    judging.provider.answer(() => ({ language: 'und' }));
    expect(await judge(options, inputArgs(['xyzzy']))).toBeUndefined();
  });
  test('the option always sends every message to the model', async () => {
    judging.provider.answer(() => ({ language: 'en' }));
    await judge({ ...options, when: 'always' }, inputArgs([english, german]));
    expect(judging.provider.requests).toHaveLength(2);
  });
  test('with always, the model decides that a text which looks English is in no language', async () => {
    judging.provider.answer(() => ({ language: 'und' }));
    const args = inputArgs([english]);
    await judge({ ...options, targets: ['de'], when: 'always' }, args);
    expect(args.violations).toEqual([]);
  });
  test('a model failure on an uncertain message fails the call', async () => {
    const definition = defineLanguage(NO_MODELS);
    const processor = definition.create(definition.options.parse(options));
    await expect(async () => processor.processInput?.(inputArgs(['Hallo Welt']))).rejects.toMatchObject({
      code: 'model-call-failed',
    });
  });
  test.each([{}, { when: 'always' }])('the statistics decide if a failure would skip the guard: %j', async (more) => {
    const definition = defineLanguage(NO_MODELS);
    const processor = definition.create(definition.options.parse({ ...options, ...more }));
    const args = { ...inputArgs([german, 'Hallo Welt', english]), skippable: true as const };
    const stop = await catchStop(() => processor.processInput?.(args));
    expect(stop).toMatchObject({ type: 'abort', metadata: { rules: ['language-not-wanted'] } });
    expect(args.violations).toMatchObject([{ rule: 'model-unavailable' }, { rule: 'language-not-wanted', count: 1 }]);
  });
  test.each([
    ['too-many-model-calls', Array.from({ length: 65 }, (_, at) => `Hallo ${at}`)],
    ['too-long-for-a-model', ['? '.repeat(40_000)]],
  ])("the guard blocks a request above the model's bounds by its rule: %s", async (rule, texts) => {
    expect(await catchStop(() => judge({ ...options, strategy: 'warn' }, inputArgs(texts)))).toMatchObject({
      metadata: { rules: [rule] },
    });
  });
});

test.each<JsonObject>([{ strategy: 'translate' }, { targets: [] }, { targets: ['english'] }, { model: 'gpt-5' }])(
  'the guard rejects the options %j',
  (options) => expect(defineLanguage(NO_MODELS).options.safeParse(options).success).toBe(false),
);
