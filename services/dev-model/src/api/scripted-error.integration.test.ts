// Errors as the provider's client receives them: the status, retryability and Retry-After.
import { APICallError } from 'ai';
import { describe, expect, test } from 'vitest';
import {
  apis,
  listDeltas,
  startDevModelUnderTest,
  findPart,
  collectParts,
  makeScriptedCall,
} from '../testing/dev-model-under-test.ts';

const { openai } = await startDevModelUnderTest();

async function rejection(call: PromiseLike<unknown>): Promise<APICallError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (APICallError.isInstance(error)) return error;
  throw new Error('The call was not refused as it should be', { cause: error });
}

describe.each(apis)('a scripted error over %s', (api) => {
  const model = openai[api]('gpt-5-mini');

  test.each(['doStream', 'doGenerate'] as const)(
    'a scripted error without output is an HTTP error for %s, with Retry-After',
    async (method) => {
      const script = [{ error: { status: 429, message: 'Slow down.', retryAfterSeconds: 1.5 } }];
      const error = await rejection(model[method](makeScriptedCall(script)));
      expect(error).toMatchObject({ statusCode: 429, isRetryable: true, message: 'Slow down.' });
      expect(error.responseHeaders).toMatchObject({ 'retry-after': '2', 'retry-after-ms': '1500' });
      expect(error.data).toMatchObject({
        error: { type: 'rate_limit_error', code: 'rate_limit_exceeded', param: null },
      });
    },
  );

  test('the status alone makes a scripted error retryable, and only a script sets Retry-After', async () => {
    const error = await rejection(model.doStream(makeScriptedCall([{ error: { status: 503 } }])));
    expect(error).toMatchObject({ statusCode: 503, isRetryable: true });
    expect(error.responseHeaders).not.toHaveProperty('retry-after');
    const refusal = await rejection(model.doStream(makeScriptedCall([{ error: { status: 403, message: 'No.' } }])));
    expect(refusal).toMatchObject({ statusCode: 403, isRetryable: false, message: 'No.' });
  });

  test('a scripted error ends one call, and the retry receives the next element', async () => {
    const script = [{ error: { status: 500 } }, { text: 'better' }];
    await rejection(model.doStream(makeScriptedCall(script, 1)));
    const parts = await collectParts((await model.doStream(makeScriptedCall(script, 2))).stream);
    expect(listDeltas(parts, 'text-delta').join('')).toBe('better');
  });

  test('a scripted error with text breaks the stream off after that text', async () => {
    const script = [{ text: 'Half of the ans', chunkSize: 4, error: { status: 503, message: 'Gone.' } }];
    const parts = await collectParts((await model.doStream(makeScriptedCall(script))).stream);
    expect(listDeltas(parts, 'text-delta').join('')).toBe('Half of the ans');
    expect(findPart(parts, 'error').error).toMatchObject({ message: 'Gone.', statusCode: 503, isRetryable: true });
    expect(findPart(parts, 'finish').finishReason.unified).toBe('error');
    expect(parts.findIndex((part) => part.type === 'error')).toBeGreaterThan(
      parts.findLastIndex((part) => part.type === 'text-delta'),
    );
  });

  test('a scripted error with text is an HTTP error for a call without streaming', async () => {
    const error = await rejection(model.doGenerate(makeScriptedCall([{ text: 'Half', error: { status: 500 } }])));
    expect(error).toMatchObject({ statusCode: 500, isRetryable: true });
  });

  test.each([
    ['[{"text": "a"', 'the block is not closed', ''],
    ['{"text": "a"}', 'expected array', '```'],
    ['[{"text": "a",}]', 'not JSON', '```'],
    ['[{}, {"txt": "a"}]', '[1]: Unrecognized key: "txt"', '```'],
    ['[{"toolCalls": [{"args": {}}]}]', '[0].toolCalls[0].name', '```'],
    ['[{"chunkSize": 0}]', '[0].chunkSize', '```'],
    ['[{"error": {"status": 200}}]', '[0].error.status', '```'],
  ])('the script %s is a 400 with the message %s', async (source, complaint, fence) => {
    const { headers } = makeScriptedCall([]);
    const text = `\`\`\`script\n${source}\n${fence}`;
    const error = await rejection(
      model.doStream({ headers, prompt: [{ role: 'user', content: [{ type: 'text', text }] }] }),
    );
    expect(error).toMatchObject({ statusCode: 400, isRetryable: false });
    expect(error.message).toContain(complaint);
    expect(error.data).toMatchObject({
      error: { code: 'invalid_script', param: api === 'chat' ? 'messages' : 'input' },
    });
  });

  test('the script counts calls from 1', async () => {
    const error = await rejection(model.doStream(makeScriptedCall([{ text: 'a' }], 0)));
    expect(error).toMatchObject({ statusCode: 400 });
    expect(error.message).toContain('from 1');
  });
});
