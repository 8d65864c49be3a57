// A client that goes away: nothing more is generated for it, and its place is free.
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { apis, devModelUnderTest, scripted } from '../testing/dev-model-under-test.ts';

const { openai, logged, url } = await devModelUnderTest();

/** Long enough that only a disconnection can end it within the test's time. */
const minutesLong = { text: 'x'.repeat(100_000), chunkSize: 1, delayMs: 50 };

describe.each(apis)('over %s', (api) => {
  const model = openai[api]('gpt-5-mini');

  test('a paced stream ends when its reader aborts', async () => {
    const abort = new AbortController();
    const { headers, prompt } = scripted([minutesLong]);
    const clientRequestId = `paced-${api}.1`;
    const { stream } = await model.doStream({
      prompt,
      headers: { ...headers, 'X-Client-Request-Id': clientRequestId },
      abortSignal: abort.signal,
    });
    const read = async () => {
      for await (const part of stream) if (part.type === 'text-delta') abort.abort();
    };
    await expect(read()).rejects.toThrow('abort');
    const { fields } = await logged((line) => line.fields['clientRequestId'] === clientRequestId);
    expect(fields['outcome']).toBe('disconnected');
    expect(fields['deltas']).toBeLessThan(100);
  });

  test('an unpaced stream is not generated ahead of a reader who does not read', async () => {
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
    const { fields } = await logged((line) => line.fields['clientRequestId'] === clientRequestId);
    expect(fields['outcome']).toBe('disconnected');
    expect(fields['deltas']).toBeLessThan(1_000_000);
  });
});

test('a call that is not streamed stops waiting for its turn to answer', async () => {
  const { headers } = scripted([]);
  const body = {
    model: 'any',
    messages: [{ role: 'user', content: `\`\`\`script ${JSON.stringify([minutesLong])} \`\`\`` }],
  };
  const call = request(`${url}/v1/chat/completions`, { method: 'POST', headers });
  call.on('error', () => {});
  call.end(JSON.stringify(body));
  await once(call, 'finish');
  // What was sent before is read before: when this answer is here, the call waits.
  await fetch(`${url}/healthz`);
  call.destroy();
  const line = await logged(({ message }) => message === 'the client went away before its answer');
  expect(line.fields).toEqual({ path: '/v1/chat/completions' });
});
