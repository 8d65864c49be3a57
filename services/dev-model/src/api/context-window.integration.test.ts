// A dev-model with a context window refuses longer prompts with the provider's error.
import { APICallError } from 'ai';
import { expect, test } from 'vitest';
import { apis, startDevModelUnderTest, userPrompt } from '../testing/dev-model-under-test.ts';

const { openai } = await startDevModelUnderTest({ contextWindow: 10 });
const FIELDS = { chat: 'messages', responses: 'input' };

test.each(apis)('a prompt above the window is refused over %s, and one of its length is answered', async (api) => {
  const model = openai[api]('gpt-5-mini');
  await expect(model.doGenerate({ prompt: userPrompt('x'.repeat(40)) })).resolves.toBeDefined();
  const error: unknown = await Promise.resolve(model.doGenerate({ prompt: userPrompt('x'.repeat(41)) })).catch(
    (reason: unknown) => reason,
  );
  expect(APICallError.isInstance(error) && error.isRetryable).toBe(false);
  expect(error).toMatchObject({
    statusCode: 400,
    message: expect.stringContaining(
      'maximum context length is 10 tokens. However, your messages resulted in 11 tokens.',
    ),
    data: { error: { type: 'invalid_request_error', code: 'context_length_exceeded', param: FIELDS[api] } },
  });
});
