// The tour through the AI SDK as an agent takes it: tools, structured output, memory, several steps.
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apis, startDevModelUnderTest } from '../testing/dev-model-under-test.ts';

const { openai } = await startDevModelUnderTest();

const tools = {
  calculator: tool({
    description: 'Evaluates an arithmetic expression.',
    inputSchema: z.object({ expression: z.string() }),
    execute: ({ expression }) => ({ result: expression === '17 * 23' ? 391 : Number.NaN }),
  }),
  clock: tool({
    description: 'Returns the current date and time.',
    inputSchema: z.object({ timeZone: z.string().optional() }),
    execute: ({ timeZone }) => ({ iso: '2026-11-21T01:00:00', timeZone: timeZone ?? 'UTC' }),
  }),
};

describe.each(apis)('dev-model over %s', (api) => {
  // One model receives system messages as "developer" and reasons, the other does not.
  test.each(['gpt-5-mini', 'gpt-4o'])('%s greets and calculates with the tool in two steps', async (name) => {
    const result = streamText({
      model: openai[api](name),
      system: 'You are a demo.',
      prompt: 'My name is Ada. What is 17 * 23?',
      tools,
      stopWhen: stepCountIs(5),
    });
    expect(await result.text).toBe('Nice to meet you, Ada. 17 * 23 = 391.');
    expect((await result.steps).map((step) => step.finishReason)).toEqual(['tool-calls', 'stop']);
  });

  test('dev-model calls two tools at once', async () => {
    const { text, steps } = await generateText({
      model: openai[api]('gpt-5-mini'),
      prompt: 'What is 17 * 23, and what time is it in Oslo?',
      tools,
      stopWhen: stepCountIs(5),
    });
    expect(steps).toHaveLength(2);
    expect(text).toBe('17 * 23 = 391. It is 2026-11-21T01:00:00.');
  });

  test('dev-model answers from memory in system messages', async () => {
    const { text } = await generateText({
      model: openai[api]('gpt-5-mini'),
      system: 'You are a demo.\n\nWorking memory:\nname: Ada',
      messages: [
        { role: 'user', content: 'I parked on level 3.' },
        { role: 'assistant', content: 'Noted.' },
        { role: 'user', content: [{ type: 'text', text: 'What is my name? Where did I park?' }] },
      ],
    });
    expect(text).toBe('Your name is Ada. You told me: "I parked on level 3."');
  });

  test.each([true, false])('dev-model answers an extraction schema, strict %s', async (strictJsonSchema) => {
    const { output } = await generateText({
      model: openai[api]('gpt-5-mini'),
      providerOptions: { openai: { strictJsonSchema, store: false } },
      output: Output.object({
        schema: z.object({
          name: z.string().nullable(),
          city: z.string().nullable(),
          employer: z.string().nullable(),
          likes: z.array(z.string()),
        }),
      }),
      prompt:
        'Extract.\n\nuser: My name is Ada and I live in Oslo.\nassistant: Hello, my name is Bot.\nuser: I like tea.',
    });
    expect(output).toEqual({ name: 'Ada', city: 'Oslo', employer: null, likes: ['tea'] });
  });

  test('dev-model streams structured output', async () => {
    const { output } = streamText({
      model: openai[api]('gpt-5-mini'),
      output: Output.object({
        schema: jsonSchema<object>({ type: 'object', properties: { name: { type: 'string' } } }),
      }),
      prompt: 'My name is Ada.',
    });
    expect(await output).toEqual({ name: 'Ada' });
  });

  test('dev-model answers with JSON without a schema', async () => {
    const { output } = await generateText({
      model: openai[api]('gpt-5-mini'),
      output: Output.json(),
      prompt: 'Hello!',
    });
    expect(output).toEqual({ answer: expect.stringContaining('Hello.') });
  });

  test('the error names the field of a schema that dev-model cannot fill', async () => {
    const call = generateText({
      model: openai[api]('gpt-5-mini'),
      maxRetries: 0,
      output: Output.object({ schema: z.object({ code: z.string().regex(/^X{7}-Q$/) }) }),
      prompt: 'Hello!',
    });
    await expect(call).rejects.toThrow('code');
  });
});
