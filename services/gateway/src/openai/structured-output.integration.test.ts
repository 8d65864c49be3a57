// Structured answers with the unchanged clients of openai and of the AI SDK, with real services behind the gateway.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Output, generateText, streamText } from 'ai';
import OpenAI, { BadRequestError } from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { script } from '../testing/scripted.ts';
import { useGateway } from '../testing/gateway-under-test.ts';

const gateway = useGateway();
const plain = 'form-plain';
const formed = 'form-own';
const open = 'form-open';
const masked = 'form-masked';

beforeAll(async () => {
  const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.', flushMs: 0 };
  const { agents } = gateway.stack.client;
  await agents.apply({ ...base, name: plain, tools: ['calculator'] });
  await agents.apply({ ...base, name: formed, structuredOutput: { schema: { type: 'object' } } });
  await agents.apply({ ...base, name: open, callerSettings: ['maxOutputTokens', 'seed'] });
  const keyword = { use: 'keyword', options: { keywords: ['forbidden'] } };
  await agents.apply({ ...base, name: masked, input: [keyword], output: ['pii'] });
});

const facts = z.object({ city: z.string().describe('Name of the city.'), people: z.number() });
const oslo = { city: 'Oslo', people: 700_000 };
const said = JSON.stringify(oslo);
const mail = z.object({ mail: z.string().regex(/^[a-z@.]+$/) });
const connect = () => new OpenAI({ apiKey: 'key-ada', baseURL: `${gateway.url}/v1`, maxRetries: 2 });
const user = (content: string) => ({ role: 'user', content }) as const;
const toolThen = (text: string) =>
  script({ toolCalls: [{ name: 'calculator', args: { expression: '6 * 7' } }] }, { text, chunkSize: 5 });

describe('chat completions with a schema', () => {
  const response_format = zodResponseFormat(facts, 'facts');

  test('parse returns the object, also after a tool of the agent', async () => {
    for (const content of [script({ text: said }), toolThen(said)]) {
      const answer = await connect().chat.completions.parse({
        model: plain,
        messages: [user(content)],
        response_format,
      });
      expect(answer.choices[0]?.message.parsed).toEqual(oslo);
    }
  });

  test('A stream has the JSON of the object as its content', async () => {
    const messages = [user(script({ text: said, chunkSize: 4 }))];
    const stream = connect().chat.completions.stream({ model: plain, messages, response_format });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]?.message).toMatchObject({ content: said, parsed: oslo });
  });

  test('json_object is accepted by an agent with a form and by one without', async () => {
    for (const model of [plain, formed]) {
      const messages = [user(script({ text: said }))];
      const format = { type: 'json_object' } as const;
      const answer = await connect().chat.completions.create({ model, messages, response_format: format });
      expect(answer.choices[0]?.message.content).toBe(said);
    }
  });

  test('An agent with a form, and a schema that is invalid, are bad requests', async () => {
    const messages = [user(script({ text: said }))];
    const { completions } = connect().chat;
    await expect(completions.create({ model: formed, messages, response_format })).rejects.toMatchObject({
      status: 400,
      param: 'response_format',
    });
    const invalid = { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'none' } } } as const;
    await expect(completions.create({ model: plain, messages, response_format: invalid })).rejects.toMatchObject({
      status: 400,
      param: 'response_format',
    });
  });

  test('A description that the input’s processors reject is a blocked input', async () => {
    const messages = [user(script({ text: said }))];
    const format = zodResponseFormat(z.object({ city: z.string().describe('A forbidden text.') }), 'facts');
    const asked = connect().chat.completions.create({ model: masked, messages, response_format: format });
    await expect(asked).rejects.toBeInstanceOf(BadRequestError);
    await expect(asked).rejects.toMatchObject({ code: 'content_policy_violation' });
  });

  test('An object that a processor breaks ends with a refusal and content_filter', async () => {
    const messages = [user(script({ text: '{"mail":"ada@example.org"}', chunkSize: 6 }))];
    const request = { model: masked, messages, response_format: zodResponseFormat(mail, 'mail') };
    const chunks = await Array.fromAsync(await connect().chat.completions.create({ ...request, stream: true }));
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('content_filter');
    expect(chunks.map(({ choices }) => choices[0]?.delta.refusal ?? '').join('')).toContain('pii');
    expect(JSON.stringify(chunks)).not.toContain('ada@');
    const whole = await connect().chat.completions.create(request);
    expect(whole.choices[0]).toMatchObject({
      finish_reason: 'content_filter',
      message: { refusal: expect.any(String) },
    });
  });
});

describe('responses with a schema', () => {
  test('parse returns the object, whole and streamed', async () => {
    const text = { format: zodTextFormat(facts, 'facts') };
    const answer = await connect().responses.parse({ model: plain, input: script({ text: said }), text });
    expect(answer.output_parsed).toEqual(oslo);
    const stream = connect().responses.stream({ model: plain, input: script({ text: said, chunkSize: 4 }), text });
    expect((await stream.finalResponse()).output_parsed).toEqual(oslo);
  });

  test('An object that a processor breaks is a refusal', async () => {
    const input = script({ text: '{"mail":"ada@example.org"}' });
    const text = { format: zodTextFormat(mail, 'mail') };
    const answer = await connect().responses.create({ model: masked, input, text });
    expect(answer).toMatchObject({ status: 'completed' });
    expect(answer.output).toMatchObject([{ content: [{ type: 'refusal' }] }]);
    expect(answer.output_text).toBe('');
  });
});

describe('the AI SDK with an OpenAI-compatible provider', () => {
  const model = () =>
    createOpenAICompatible({
      name: 'millrace',
      baseURL: `${gateway.url}/v1`,
      apiKey: 'key-ada',
      supportsStructuredOutputs: true,
    })(plain);

  test('Output.object has the object of a whole answer and of a stream', async () => {
    const output = Output.object({ schema: facts });
    const whole = await generateText({ model: model(), prompt: script({ text: said }), output });
    expect(whole.output).toEqual(oslo);
    const streamed = streamText({ model: model(), prompt: script({ text: said, chunkSize: 4 }), output });
    const partial = await Array.fromAsync(streamed.partialOutputStream);
    expect(partial.length).toBeGreaterThan(1);
    expect(await streamed.output).toEqual(oslo);
  });
});

describe('settings of the model', () => {
  test('x-millrace-ignored lists the settings that the agent does not open', async () => {
    const readIgnored = async (name: string) => {
      const settings = { temperature: 0.5, max_completion_tokens: 900, seed: 7 };
      const asked = connect().chat.completions.create({
        model: name,
        messages: [user(script({ text: 'Hi.' }))],
        ...settings,
      });
      return (await asked.withResponse()).response.headers.get('x-millrace-ignored');
    };
    expect(await readIgnored(plain)).toBe('temperature, max_completion_tokens, seed');
    expect(await readIgnored(open)).toBe('temperature');
    const asked = connect().responses.create({
      model: open,
      input: script({ text: 'Hi.' }),
      max_output_tokens: 900,
      top_p: 1,
    });
    expect((await asked.withResponse()).response.headers.get('x-millrace-ignored')).toBe('top_p');
  });

  test('A setting of the wrong kind is a bad request that names it', async () => {
    const messages = [user(script({ text: 'Hi.' }))];
    await expect(connect().chat.completions.create({ model: open, messages, seed: 0.5 })).rejects.toMatchObject({
      status: 400,
      param: 'seed',
    });
  });
});
