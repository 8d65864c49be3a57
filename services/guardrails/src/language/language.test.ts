import { messageText, type JsonObject } from '@millrace/contracts';
import { inputArgs, stopOf } from '@millrace/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { NO_MODELS } from '../model/guard-models.ts';
import { judgedText, useJudgingProvider } from '../testing/judging-provider.ts';
import { turnsOf } from '../testing/turns-of.ts';
import { inParts } from '../testing/messages.ts';
import { detectLanguages } from './detect-language.ts';
import { language } from './language.ts';

const german = 'Wo finde ich die Rechnung für meine letzte Bestellung?';
const english = 'Where do I find the invoice of my last order?';
const judging = useJudgingProvider();
beforeEach(() => {
  judging.provider.requests.length = 0;
});
const judge = (options: JsonObject, args: ReturnType<typeof inputArgs>) => {
  const definition = language(judging.models);
  return definition.create(definition.options.parse(options)).processInput?.(args);
};

describe('detection', () => {
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
  ])('%s: %s', async (expected, text) => expect((await detect(text))[0]).toBe(expected));
  test('finds what stands behind a long beginning in another language', async () => {
    expect(new Set(await detect(`${`${english} `.repeat(50)}${`${german} `.repeat(50)}`))).toEqual(
      new Set(['en', 'de']),
    );
  });
});

test('a long text lets the event loop turn after every other stretch', async () => {
  const { signal } = new AbortController();
  let stretches = 0;
  const turns = await turnsOf(async () => {
    const text = `${english} `.repeat(1_000);
    stretches = (await detectLanguages(text, { threshold: 0.7, minLength: 10 }, signal)).length;
  });
  expect(turns).toBeGreaterThanOrEqual(Math.floor(stretches / 2));
});

describe('a message in a wanted language', () => {
  test.each(['warn', 'block'])('passes with strategy %s', async (strategy) => {
    const args = inputArgs([english, 'ok', '12345']);
    await judge({ strategy }, args);
    expect(args.violations).toEqual([]);
  });
});

describe('a message in another language', () => {
  test('is noted with strategy detect, in its metadata and as a violation', async () => {
    const args = inputArgs([german, english]);
    await judge({}, args);
    expect(args.messageList.get.input.db().map(({ content }) => content.metadata)).toEqual([
      { language: 'de' },
      { language: 'en' },
    ]);
    expect(args.violations).toMatchObject([{ rule: 'language-not-wanted', count: 1, detail: { languages: ['de'] } }]);
  });
  test('is reported with strategy warn', async () => {
    const args = inputArgs([german]);
    await judge({ strategy: 'warn' }, args);
    expect(args.violations).toMatchObject([{ strategy: 'warn' }]);
    expect(args.messageList.takeOps()).toEqual([]);
  });
  test('stops the run with strategy block', async () => {
    expect(await stopOf(() => judge({ strategy: 'block' }, inputArgs([german])))).toMatchObject({
      kind: 'abort',
      reason: 'A message is not in en.',
    });
  });
  test('is judged by all of it: a beginning in a wanted one hides nothing', async () => {
    const text = `${`${english} `.repeat(40)}${`${german} `.repeat(40)}`;
    expect(await stopOf(() => judge({ strategy: 'block' }, inputArgs([text])))).toMatchObject({ kind: 'abort' });
  });
  test('is translated part by part, and asked of the model once', async () => {
    judging.provider.answer((request) => {
      const texts: string[] = JSON.parse(judgedText(request));
      return { texts: texts.map((text) => `(en) ${text}`) };
    });
    const args = inputArgs([inParts('m0', german, german), english]);
    await judge({ strategy: 'translate', model: 'openai-chat/judge' }, args);
    expect(args.messageList.get.input.db().map(messageText)).toEqual([`(en) ${german}(en) ${german}`, english]);
    expect(judging.provider.requests).toHaveLength(1);
  });
  test('that the model does not translate whole is a failure', async () => {
    judging.provider.answer(() => ({ texts: [] }));
    const options = { strategy: 'translate', model: 'openai-chat/judge' };
    await expect(judge(options, inputArgs([german]))).rejects.toMatchObject({ code: 'extraction-failed' });
  });
});

describe('a doubt', () => {
  const options = { strategy: 'block', model: 'openai-chat/judge' };
  test('is put to the model, and what is sure is not', async () => {
    judging.provider.answer(() => ({ language: 'de' }));
    expect(await stopOf(() => judge(options, inputArgs([english, 'Hallo Welt'])))).toMatchObject({ kind: 'abort' });
    expect(judging.provider.requests.map(judgedText)).toEqual(['Hallo Welt']);
  });
  test('that the model does not resolve passes', async () => {
    judging.provider.answer(() => ({ language: 'und' }));
    expect(await judge(options, inputArgs(['xyzzy']))).toBeUndefined();
  });
  test('is not asked where every message is judged by the model: all are', async () => {
    judging.provider.answer(() => ({ language: 'en' }));
    await judge({ ...options, when: 'always' }, inputArgs([english, german]));
    expect(judging.provider.requests).toHaveLength(2);
  });
  test('that nobody can resolve for want of a model is a failure, not a pass', async () => {
    const definition = language(NO_MODELS);
    const processor = definition.create(definition.options.parse(options));
    await expect(async () => processor.processInput?.(inputArgs(['Hallo Welt']))).rejects.toMatchObject({
      code: 'model-call-failed',
    });
  });
  test.each([
    ['too-many-model-calls', Array.from({ length: 65 }, (_, at) => `Hallo ${at}`)],
    ['too-long-for-a-model', ['? '.repeat(40_000)]],
  ])('beyond what a model is asked is blocked by name: %s', async (rule, texts) => {
    expect(await stopOf(() => judge({ ...options, strategy: 'warn' }, inputArgs(texts)))).toMatchObject({
      options: { metadata: { rules: [rule] } },
    });
  });
});

test.each<JsonObject>([{ strategy: 'translate' }, { targets: [] }, { targets: ['english'] }, { model: 'gpt-5' }])(
  'options %j are refused',
  (options) => expect(language(NO_MODELS).options.safeParse(options).success).toBe(false),
);
