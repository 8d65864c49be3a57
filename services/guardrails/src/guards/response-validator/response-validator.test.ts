import type { JsonObject } from '@millrace/contracts';
import { catchStop } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { answerArgs, validate } from '../../testing/validated-answer.ts';
import { isRefusal } from './refusals.ts';
import { responseValidator } from './response-validator.ts';

describe.each<[string, JsonObject, good: string, bad: string, say: string]>([
  ['a pattern that must match', { mustMatch: ['#\\d+'] }, 'order #12', 'your order', 'required text (rule 1)'],
  [
    'a pattern with words of its own',
    { mustNotMatch: [{ pattern: 'competitor', say: 'it names a competitor' }] },
    'we',
    'a Competitor',
    'it names a competitor',
  ],
  ['a length', { minLength: 3 }, 'añ😀', 'a😀', 'at least 3 characters'],
  ['a length', { maxLength: 3 }, 'añ😀', 'aaaa', 'at most 3 characters'],
  [
    'a refusal',
    { noRefusal: true },
    'I cannot say more than that it rains.',
    "I'm sorry, but I can't help with that.",
    'refuses',
  ],
])('the rule %s', (_, options, good, bad, say) => {
  test('the validator passes a correct answer', async () => {
    const args = answerArgs(good);
    expect(await validate(options, args)).toBeUndefined();
    expect(args.violations).toEqual([]);
  });
  test('the validator retries with the problem and without text of the answer', async () => {
    const args = answerArgs(bad);
    const stop = await catchStop(() => validate(options, args));
    expect(stop).toMatchObject({ type: 'abort', reason: expect.stringContaining(say), retry: true });
    expect(JSON.stringify(stop)).not.toContain(bad);
    expect(args.violations).toMatchObject([{ strategy: 'block' }]);
  });
});

describe('answers that stay wrong', () => {
  const wrong = { maxLength: 1, maxRetries: 2 };
  test('the validator stops the run without retries left', async () => {
    expect(await catchStop(() => validate(wrong, answerArgs('ab', { retryCount: 1 })))).toMatchObject({
      retry: true,
    });
    const stop = await catchStop(() => validate(wrong, answerArgs('ab', { retryCount: 2 })));
    expect(stop).toMatchObject({ type: 'abort', metadata: { rules: ['too-long'] } });
    expect(stop).not.toHaveProperty('options.retry');
  });
  test('the validator halts if a response is set', async () => {
    const stop = await catchStop(() => validate({ ...wrong, response: 'Sorry.' }, answerArgs('ab', { retryCount: 2 })));
    expect(stop).toMatchObject({ type: 'halt', response: 'Sorry.' });
  });
  test('the strategy warn passes the answer and reports it', async () => {
    const args = answerArgs('ab', { retryCount: 2 });
    expect(await validate({ ...wrong, strategy: 'warn' }, args)).toBeUndefined();
    expect(args.violations).toMatchObject([{ rule: 'too-long', strategy: 'warn', detail: { try: 2 } }]);
  });
});

test('the validator reports every broken rule at once', async () => {
  const stop = await catchStop(() =>
    validate({ minLength: 9, mustMatch: ['x'], mustNotMatch: ['b'] }, answerArgs('ab')),
  );
  expect(stop).toMatchObject({ metadata: { rules: ['too-short', 'must-match', 'must-not-match'] } });
});

test('the validator does not judge an answer with tool calls', async () => {
  expect(await validate({ minLength: 9 }, answerArgs('', { toolCalls: 1 }))).toBeUndefined();
});

describe('the language of the question', () => {
  const german = 'Wo finde ich die Rechnung für meine letzte Bestellung?';
  test.each([
    [german, 'Ihre Rechnung finden Sie in Ihrem Konto unter Bestellungen.', true],
    [german, 'You will find the invoice in your account under orders.', false],
    ['Where do I find my last invoice, please?', 'Die Rechnung finden Sie in Ihrem Konto.', false],
    [german, '42', true],
    ['ok?', 'You will find the invoice in your account under orders.', true],
  ])('for the question %j and the answer %j the validator returns %j', async (asked, answer, passes) => {
    const args = answerArgs(answer, { asked });
    const outcome = await Promise.resolve(validate({ sameLanguage: true }, args)).then(
      () => true,
      () => false,
    );
    expect(outcome).toBe(passes);
  });
});

describe('refusals in answers', () => {
  test.each([
    'I’m sorry, but I can’t assist with that request.',
    'As an AI language model, I cannot provide legal advice.',
    'I am unable to help with this.',
    'Es tut mir leid, aber dabei kann ich Ihnen nicht helfen.',
    'Lo siento, no puedo ayudarte con eso.',
    'Je suis désolé, mais je ne peux pas vous aider.',
    '申し訳ありませんが、お手伝いできません。',
    '抱歉，我无法回答这个问题。',
  ])('the validator recognizes %s', (text) => expect(isRefusal(text)).toBe(true));
  test.each([
    'Sorry for the wait! Your parcel is on its way.',
    'You cannot return the item after 30 days.',
    'I can help with that: open the settings.',
    'Leider ist der Artikel ausverkauft; hier sind drei andere.',
    'As an assistant to the director you will plan journeys.',
  ])('the validator passes %s', (text) => expect(isRefusal(text)).toBe(false));
});

test.each<JsonObject>([{ mustMatch: ['('] }, { maxRetries: -1 }, { strategy: 'fix' }])(
  'the validator rejects the options %j',
  (options) => expect(responseValidator.options.safeParse(options).success).toBe(false),
);
