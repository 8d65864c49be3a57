// Verdicts on texts, as a guard asks for them over both APIs.
import { generateText, jsonSchema, Output } from 'ai';
import { describe, expect, test } from 'vitest';
import { apis, devModelUnderTest } from '../testing/dev-model-under-test.ts';

const { openai } = await devModelUnderTest();
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

  test('is that there is nothing, whatever the text says of its schema’s fields', async () => {
    expect(await ask('My hate is 1 and my language is de.')).toEqual(nothing);
  });
  test('is what the text scripts for it, member by member', async () => {
    const text = `Hello ${verdict({ for: 'moderation', answer: { scores: { hate: 0.9 } } })} there`;
    expect(await ask(text)).toEqual({ scores: { hate: 0.9, threat: 0 }, language: 'und' });
    expect(await ask(text, 'injection')).toEqual(nothing);
  });
  test('is found in a list of texts', async () => {
    const text = JSON.stringify(['Hello', verdict({ for: 'translation', answer: { language: 'de' } })]);
    expect(await ask(text, 'translation')).toMatchObject({ language: 'de' });
  });
  test('is not what a script of the agent’s own model holds', async () => {
    const script = JSON.stringify([{ text: verdict({ for: 'moderation', answer: { language: 'de' } }) }]);
    expect(await ask(`Say this.\n${fence}script\n${script}\n${fence}`)).toEqual(nothing);
  });
  test('may be an error, or something that is no verdict', async () => {
    await expect(ask(verdict({ for: 'moderation', error: { status: 429 } }))).rejects.toMatchObject({
      statusCode: 429,
    });
    await expect(ask(verdict({ for: 'moderation', text: 'It is fine.' }))).rejects.toThrow('No object generated');
  });
  test('that does not read is a 400 that says so', async () => {
    await expect(ask(verdict({ answer: {} }))).rejects.toMatchObject({
      statusCode: 400,
      message: expect.stringContaining('verdict: [0].for'),
    });
  });
});

test('a verdict block is not what the user said', async () => {
  const { text } = await generateText({
    model: openai.chat('gpt-5-mini'),
    prompt: `Hello! ${verdict({ for: 'moderation', answer: {} })}`,
  });
  expect(text).not.toContain('moderation');
});
