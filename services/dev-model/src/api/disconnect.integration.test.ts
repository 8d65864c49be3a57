// A client that disconnects: dev-model stops generating and frees its place.
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { apis, startDevModelUnderTest, makeScriptedCall } from '../testing/dev-model-under-test.ts';

const { openai, waitForLog, url } = await startDevModelUnderTest();

/** Long enough that only a disconnect can end the stream within the test's timeout. */
const minutesLong = { text: 'x'.repeat(100_000), chunkSize: 1, delayMs: 50 };

describe.each(apis)('disconnects over %s', (api) => {
  const model = openai[api]('gpt-5-mini');

  test('a paced stream ends when its reader aborts', async () => {
    const abort = new AbortController();
    const { headers, prompt } = makeScriptedCall([minutesLong]);
    const clientRequestId = `paced-${api}.1`;
    const { stream } = await model.doStream({
      prompt,
      headers: { ...headers, 'X-Client-Request-Id': clientRequestId },
      abortSignal: abort.signal,
    });
    const readToEnd = async () => {
      for await (const part of stream) if (part.type === 'text-delta') abort.abort();
    };
    await expect(readToEnd()).rejects.toThrow('abort');
    const { fields } = await waitForLog((line) => line.fields['clientRequestId'] === clientRequestId);
    expect(fields['outcome']).toBe('disconnected');
    expect(fields['deltas']).toBeLessThan(100);
  });

  test('an unpaced stream is not generated ahead of a slow reader', async () => {
    const clientRequestId = `unpaced-${api}.1`;
    const abort = new AbortController();
    const text = `\`\`\`script ${JSON.stringify([{ text: 'x'.repeat(2_000_000), chunkSize: 1 }])} \`\`\``;
    const chat = { model: 'any', stream: true, messages: [{ role: 'user', content: text }] };
    const response = await fetch(`${url}/v1/${api === 'chat' ? 'chat/completions' : 'responses'}`, {
      method: 'POST',
      headers: { 'x-client-request-id': clientRequestId },
      body: JSON.stringify(api === 'chat' ? chat : { model: 'any', stream: true, input: text }),
      signal: abort.signal,
    });
    await response.body?.getReader().read();
    abort.abort();
    const { fields } = await waitForLog((line) => line.fields['clientRequestId'] === clientRequestId);
    expect(fields['outcome']).toBe('disconnected');
    expect(fields['deltas']).toBeLessThan(1_000_000);
  });
});

test('a call without streaming ends its wait when the client disconnects', async () => {
  const { headers } = makeScriptedCall([]);
  const body = {
    model: 'any',
    messages: [{ role: 'user', content: `\`\`\`script ${JSON.stringify([minutesLong])} \`\`\`` }],
  };
  const call = request(`${url}/v1/chat/completions`, { method: 'POST', headers });
  call.on('error', () => {});
  call.end(JSON.stringify(body));
  await once(call, 'finish');
  // The server handles earlier requests first: this answer shows that the call is waiting.
  await fetch(`${url}/healthz`);
  call.destroy();
  const line = await waitForLog(({ message }) => message === 'client disconnected before its answer');
  expect(line.fields).toEqual({ path: '/v1/chat/completions' });
});
