// Verdicts on texts that a guard requests over both APIs.
import { generateText, jsonSchema, Output } from 'ai';
import { describe, expect, test } from 'vitest';
import { apis, startDevModelUnderTest } from '../testing/dev-model-under-test.ts';

const { openai } = await startDevModelUnderTest();
const schema = (title: string) =>
  jsonSchema<object>({
    title,
    type: 'object',
    properties: {
      scores: {
        type: 'object',
        properties: { hate: { type: 'number', minimum: 0, maximum: 1 }, threat: { type: 'number' } },
        required: ['hate', 'threat'],
      },
      language: { type: 'string', enum: ['und', 'de'] },
    },
    required: ['scores', 'language'],
  });
const fence = '```';
const verdict = (...verdicts: object[]) => `${fence}verdict${JSON.stringify(verdicts)}${fence}`;

describe.each(apis)('a verdict over %s', (api) => {
  const ask = async (text: string, title = 'moderation') => {
    const { output } = await generateText({
      model: openai[api]('judge'),
      system: 'Judge.',
      prompt: `BEGIN-TEXT-0af3\n${text}\nEND-TEXT-0af3`,
      output: Output.object({ schema: schema(title) }),
      providerOptions: { openai: { strictJsonSchema: false, store: false } },
      maxRetries: 0,
    });
    return output;
  };
  const nothing = { scores: { hate: 0, threat: 0 }, language: 'und' };

  test('the verdict on an unscripted text is empty, even if the text mentions fields of the schema', async () => {
    expect(await ask('My hate is 1 and my language is de.')).toEqual(nothing);
  });
  test('a script in the text sets the members of the verdict', async () => {
    const text = `Hello ${verdict({ for: 'moderation', answer: { scores: { hate: 0.9 } } })} there`;
    expect(await ask(text)).toEqual({ scores: { hate: 0.9, threat: 0 }, language: 'und' });
    expect(await ask(text, 'injection')).toEqual(nothing);
  });
  test('a verdict is found in a list of texts', async () => {
    const text = JSON.stringify(['Hello', verdict({ for: 'translation', answer: { language: 'de' } })]);
    expect(await ask(text, 'translation')).toMatchObject({ language: 'de' });
  });
  test('a verdict is found in the members of an object', async () => {
    const text = JSON.stringify({ request: [{ text: verdict({ for: 'judge', answer: { language: 'de' } }) }], n: 1 });
    expect(await ask(text, 'judge')).toMatchObject({ language: 'de' });
  });
  test("a script of the agent's own model sets no verdict", async () => {
    const script = JSON.stringify([{ text: verdict({ for: 'moderation', answer: { language: 'de' } }) }]);
    expect(await ask(`Say this.\n${fence}script\n${script}\n${fence}`)).toEqual(nothing);
  });
  test('a scripted verdict can be an error or an invalid value', async () => {
    await expect(ask(verdict({ for: 'moderation', error: { status: 429 } }))).rejects.toMatchObject({
      statusCode: 429,
    });
    await expect(ask(verdict({ for: 'moderation', text: 'It is fine.' }))).rejects.toThrow('No object generated');
  });
  test('a verdict that cannot be parsed is a 400 with the reason', async () => {
    await expect(ask(verdict({ answer: {} }))).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('verdict: [0].for'),
    });
  });
});

test('the text of the user excludes a verdict block', async () => {
  const { text } = await generateText({
    model: openai.chat('gpt-5-mini'),
    prompt: `Hello! ${verdict({ for: 'moderation', answer: {} })}`,
  });
  expect(text).not.toContain('moderation');
});
