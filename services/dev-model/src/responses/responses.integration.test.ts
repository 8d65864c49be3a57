// What the responses API has of its own: items, their references, and the order of its events.
import { describe, expect, test } from 'vitest';
import { devModelUnderTest, partsOf, scripted, userPrompt } from '../testing/dev-model-under-test.ts';

const { openai, post } = await devModelUnderTest();

async function eventsOf(body: object, headers: Record<string, string> = {}) {
  const response = await post('/v1/responses', { model: 'any', stream: true, ...body }, headers);
  const text = await response.text();
  expect(text.endsWith('\n\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n\n')
    .map((frame) => {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(frame) ?? [];
      const event: Record<string, unknown> = JSON.parse(data ?? '');
      expect(event['type']).toBe(name);
      return event;
    });
}

describe('the events of a response', () => {
  const script = [{ reasoning: 'Hm', text: 'Yes', chunkSize: 2, toolCalls: [{ name: 'clock', args: {} }] }];
  const input = `\`\`\`script ${JSON.stringify(script)} \`\`\``;

  test("come in OpenAI's order, numbered densely from 0", async () => {
    const events = await eventsOf({ input }, scripted([]).headers);
    expect(events.map((event) => event['type'])).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events.map((event) => event['sequence_number'])).toEqual(events.map((_, index) => index));
    const indexes = events.filter((event) => event['type'] === 'response.output_item.done');
    expect(indexes.map((event) => event['output_index'])).toEqual([0, 1, 2]);
  });

  test('end with the same response as without a stream, ids aside', async () => {
    const completed = (await eventsOf({ input }, scripted([]).headers)).at(-1);
    const whole: unknown = await (await post('/v1/responses', { model: 'any', input }, scripted([]).headers)).json();
    expect(withoutIds(completed?.['response'])).toEqual(withoutIds(whole));
  });

  test('of an answer that is cut end as incomplete', async () => {
    const last = (await eventsOf({ input: 'Hello', max_output_tokens: 2 })).at(-1);
    expect(last).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    });
  });
});

const withoutIds = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => (/^(?:id|call_id|created_at)$/.test(key) ? 'some' : inner)),
  );

describe('an earlier answer sent as a reference to its item', () => {
  // The client sends references where a model does not reason: "gpt-4o".
  const model = openai.responses('gpt-4o');

  test('is known, so that the conversation goes on', async () => {
    const { prompt, headers } = scripted([{ text: 'I keep the key under the mat. '.repeat(20) }]);
    const first = await model.doGenerate({ prompt, headers });
    const content = first.content.map((part) => {
      if (part.type !== 'text') throw new Error('Only text was scripted');
      return { type: part.type, text: part.text, providerOptions: part.providerMetadata ?? {} };
    });
    const next = await model.doGenerate({ prompt: [{ role: 'assistant', content }, ...userPrompt('Hello')] });
    expect(next.request?.body).toMatchObject({ input: [{ type: 'item_reference' }, { role: 'user' }] });
    expect(next.response?.headers).not.toHaveProperty('x-millrace-unknown-items');
    // The long answer is in the prompt, though it was not sent.
    expect(next.usage.inputTokens.total).toBeGreaterThan(100);
  });

  test('is left out and counted where it is not known, and the call goes on', async () => {
    const response = await post('/v1/responses', {
      model: 'any',
      input: [
        { type: 'item_reference', id: 'msg_of_another_process' },
        { role: 'user', content: [{ type: 'input_text', text: 'My name is Ada.' }] },
      ],
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-millrace-unknown-items')).toBe('1');
    expect(await response.text()).toContain('Nice to meet you, Ada.');
  });

  test('is not kept where the caller says so', async () => {
    const body: unknown = await (await post('/v1/responses', { model: 'any', input: 'Hello', store: false })).json();
    const [id] = /msg_[0-9a-f]+/.exec(JSON.stringify(body)) ?? [];
    const input = [
      { type: 'item_reference', id },
      { role: 'user', content: 'Hello' },
    ];
    const next = await post('/v1/responses', { model: 'any', input });
    expect(next.headers.get('x-millrace-unknown-items')).toBe('1');
  });

  test('may be of reasoning, which says nothing', async () => {
    const { stream } = await openai.responses('gpt-5-mini').doStream(scripted([{ reasoning: 'Hm', text: 'Yes' }]));
    const start = (await partsOf(stream)).find((part) => part.type === 'reasoning-start');
    const { content } = await openai.responses('gpt-5-mini').doGenerate({
      prompt: [
        {
          role: 'assistant',
          content: [{ type: 'reasoning', text: 'Hm', providerOptions: start?.providerMetadata ?? {} }],
        },
        ...userPrompt('Hello'),
      ],
    });
    expect(content[0]).toMatchObject({ type: 'text', text: expect.stringContaining('Hello.') });
  });
});
