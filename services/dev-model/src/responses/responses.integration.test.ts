// Features of the responses API alone: items, their references, and the order of its events.
import { describe, expect, test } from 'vitest';
import { startDevModelUnderTest, collectParts, makeScriptedCall, userPrompt } from '../testing/dev-model-under-test.ts';

const { openai, post } = await startDevModelUnderTest();

async function readEvents(body: object, headers: Record<string, string> = {}) {
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

  test("the events have OpenAI's order and dense numbers from 0", async () => {
    const events = await readEvents({ input }, makeScriptedCall([]).headers);
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

  test('the events end with the same response as without a stream, except for ids', async () => {
    const completed = (await readEvents({ input }, makeScriptedCall([]).headers)).at(-1);
    const whole: unknown = await (
      await post('/v1/responses', { model: 'any', input }, makeScriptedCall([]).headers)
    ).json();
    expect(omitIds(completed?.['response'])).toEqual(omitIds(whole));
  });

  test('the events of a cut answer end as incomplete', async () => {
    const last = (await readEvents({ input: 'Hello', max_output_tokens: 2 })).at(-1);
    expect(last).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    });
  });
});

const omitIds = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => (/^(?:id|call_id|created_at)$/.test(key) ? 'some' : inner)),
  );

describe('references to earlier answers', () => {
  // The client sends references if a model does not reason: "gpt-4o".
  const model = openai.responses('gpt-4o');

  test('dev-model resolves a known reference and continues the conversation', async () => {
    const { prompt, headers } = makeScriptedCall([{ text: 'I keep the key under the mat. '.repeat(20) }]);
    const first = await model.doGenerate({ prompt, headers });
    const content = first.content.map((part) => {
      if (part.type !== 'text') throw new Error('Only text was scripted');
      return { type: part.type, text: part.text, providerOptions: part.providerMetadata ?? {} };
    });
    const next = await model.doGenerate({ prompt: [{ role: 'assistant', content }, ...userPrompt('Hello')] });
    expect(next.request?.body).toMatchObject({ input: [{ type: 'item_reference' }, { role: 'user' }] });
    expect(next.response?.headers).not.toHaveProperty('x-millrace-unknown-items');
    // The prompt contains the long answer, although the client did not send it.
    expect(next.usage.inputTokens.total).toBeGreaterThan(100);
  });

  test('dev-model omits and counts an unknown reference and answers the call', async () => {
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

  test('dev-model does not store an answer if the caller disables it', async () => {
    const body: unknown = await (await post('/v1/responses', { model: 'any', input: 'Hello', store: false })).json();
    const [id] = /msg_[0-9a-f]+/.exec(JSON.stringify(body)) ?? [];
    const input = [
      { type: 'item_reference', id },
      { role: 'user', content: 'Hello' },
    ];
    const next = await post('/v1/responses', { model: 'any', input });
    expect(next.headers.get('x-millrace-unknown-items')).toBe('1');
  });

  test('a reference to reasoning resolves to an empty text', async () => {
    const { stream } = await openai
      .responses('gpt-5-mini')
      .doStream(makeScriptedCall([{ reasoning: 'Hm', text: 'Yes' }]));
    const start = (await collectParts(stream)).find((part) => part.type === 'reasoning-start');
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
