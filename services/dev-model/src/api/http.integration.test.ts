// The HTTP surface for any client: the routes and the answers to invalid requests.
import { describe, expect, test } from 'vitest';
import { startDevModelUnderTest } from '../testing/dev-model-under-test.ts';

const { url, post } = await startDevModelUnderTest();
const hello = [{ role: 'user', content: 'Hello' }];

describe('readable routes', () => {
  test('the health route answers', async () => {
    const response = await fetch(`${url}/healthz`);
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  });

  test('the models route lists the models and names dev-model in their descriptions', async () => {
    const list: unknown = await (await fetch(`${url}/v1/models`)).json();
    expect(list).toMatchObject({
      object: 'list',
      data: [
        { id: 'dev-model', object: 'model', description: expect.stringContaining('not a language model') },
        { id: 'hashed-ngram', dimensions: 384, description: expect.stringContaining('not meaning') },
      ],
    });
    expect(await (await fetch(`${url}/v1/models/hashed-ngram`)).json()).toMatchObject({ id: 'hashed-ngram' });
    const unknown = await fetch(`${url}/v1/models/gpt-5`);
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ error: { code: 'model_not_found', param: 'model' } });
  });
});

describe('answers of dev-model', () => {
  test('dev-model needs no key, accepts any model name, and marks its answers in a header', async () => {
    const response = await post('/v1/chat/completions', { model: 'no/such-model', messages: hello });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-millrace-stand-in')).toBe('dev-model');
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    expect(await response.json()).toMatchObject({ model: 'no/such-model', object: 'chat.completion' });
  });

  test('dev-model accepts sampling settings and unknown fields', async () => {
    const settings = { temperature: 2, seed: 1, top_p: 0.1, metadata: { a: 'b' }, unheard_of: true };
    expect((await post('/v1/chat/completions', { model: 'm', messages: hello, ...settings })).status).toBe(200);
    expect((await post('/v1/responses', { model: 'm', input: 'Hello', ...settings })).status).toBe(200);
  });

  test('a chat stream ends with [DONE], and with usage only if the client requested it', async () => {
    const body = { model: 'm', messages: hello, stream: true };
    const plain = await (await post('/v1/chat/completions', body)).text();
    expect(plain).not.toContain('usage');
    expect(plain.endsWith('data: [DONE]\n\n')).toBe(true);
    const asked = await (
      await post('/v1/chat/completions', { ...body, stream_options: { include_usage: true } })
    ).text();
    expect(asked).toMatch(/"choices":\[\],"usage":\{"prompt_tokens":\d+/);
  });

  test('an answer ends before a stop sequence', async () => {
    const response = await post('/v1/chat/completions', { model: 'm', messages: hello, stop: [' am', "'s"] });
    expect(await response.json()).toMatchObject({
      choices: [{ message: { content: 'Hello. I' }, finish_reason: 'stop' }],
    });
  });
});

describe('invalid requests', () => {
  test.each([
    ['/v1/chat/completions', { messages: hello }, 'model'],
    ['/v1/chat/completions', { model: 'm' }, 'messages'],
    ['/v1/chat/completions', { model: 'm', messages: [] }, 'messages'],
    ['/v1/chat/completions', { model: 'm', messages: [{ role: 'user' }] }, 'messages[0].content'],
    ['/v1/chat/completions', { model: 'm', messages: [{ role: 'robot', content: '' }] }, 'messages[0].role'],
    [
      '/v1/chat/completions',
      { model: 'm', messages: [{ role: 'user', content: [{ type: 'odd' }] }] },
      'messages[0].content[0].type',
    ],
    ['/v1/chat/completions', { model: 'm', messages: hello, n: 2 }, 'n'],
    ['/v1/chat/completions', { model: 'm', messages: hello, logprobs: true }, 'logprobs'],
    ['/v1/chat/completions', { model: 'm', messages: hello, functions: [] }, 'functions'],
    ['/v1/chat/completions', { model: 'm', messages: hello, tools: [{ type: 'custom' }] }, 'tools[0].type'],
    ['/v1/chat/completions', { model: 'm', messages: hello, response_format: { type: 'xml' } }, 'response_format.type'],
    ['/v1/chat/completions', { model: 'm', messages: hello, max_tokens: 0 }, 'max_tokens'],
    ['/v1/responses', { input: 'Hello' }, 'model'],
    ['/v1/responses', { model: 'm' }, 'input'],
    ['/v1/responses', { model: 'm', input: [{ role: 'user', content: 7 }] }, 'input[0].content'],
    ['/v1/responses', { model: 'm', input: [{ type: 'web_search_call', id: 'x' }] }, 'input[0].type'],
    ['/v1/responses', { model: 'm', input: 'Hello', tools: [{ type: 'web_search' }] }, 'tools[0].type'],
    ['/v1/responses', { model: 'm', input: 'Hello', previous_response_id: 'resp_1' }, 'previous_response_id'],
    ['/v1/responses', { model: 'm', input: 'Hello', background: true }, 'background'],
    [
      '/v1/responses',
      { model: 'm', input: 'Hello', text: { format: { type: 'json_schema', name: 'n' } } },
      'text.format.schema',
    ],
  ])('an error at %s is a 400 that names the field: %j → %s', async (path, body, param) => {
    const response = await post(path, body);
    expect(response.status).toBe(400);
    const answer = await response.json();
    expect(answer).toMatchObject({ error: { type: 'invalid_request_error', code: 'invalid_value', param } });
    expect(JSON.stringify(answer)).toContain(`Invalid '${param}'`);
  });

  test.each(['', 'null', '[]', '"text"', '{"model":', '\u0000'])('the body %j is a 400', async (body) => {
    const response = await post('/v1/chat/completions', body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { message: expect.any(String), type: 'invalid_request_error' },
    });
  });

  test('an unknown path or method is a 404 that names the route to look at', async () => {
    for (const response of [await post('/v1/completions', {}), await fetch(`${url}/v1/chat/completions`)]) {
      expect(response.status).toBe(404);
      expect(response.headers.get('x-millrace-stand-in')).toBe('dev-model');
      expect(await response.json()).toMatchObject({
        error: { code: 'unknown_url', message: expect.stringContaining('/v1/models') },
      });
    }
  });

  test('a body that is too large is a 413', async () => {
    const content = 'x'.repeat(17 * 1024 * 1024);
    const response = await post('/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content }] });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: 'body_too_large' } });
  });
});
