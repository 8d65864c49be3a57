// A client that goes away: nothing more is generated for it, and its place is free.
import { describe, expect, it } from 'vitest';
import { apis, devModelUnderTest, scripted } from '../testing/dev-model-under-test.ts';

const { openai, logged, url } = await devModelUnderTest();

/** Long enough that only a disconnection can end it within the test's time. */
const minutesLong = { text: 'x'.repeat(100_000), chunkSize: 1, delayMs: 50 };

describe.each(apis)('over %s', (api) => {
  const model = openai[api]('gpt-5-mini');

  it('a paced stream ends when its reader aborts', async () => {
    const abort = new AbortController();
    const { headers, prompt } = scripted([minutesLong]);
    const clientRequestId = `paced-${api}.1`;
    const { stream } = await model.doStream({
      prompt,
      headers: { ...headers, 'X-Client-Request-Id': clientRequestId },
      abortSignal: abort.signal,
    });
    const reader = stream.getReader();
    await reader.read();
    abort.abort();
    await expect(reader.closed).rejects.toThrow('abort');
    const { fields } = await logged((line) => line.fields['clientRequestId'] === clientRequestId);
    expect(fields['outcome']).toBe('disconnected');
    expect(fields['deltas']).toBeLessThan(100);
  });

  it('an unpaced stream is not generated ahead of a reader who does not read', async () => {
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

  it('a call that is not streamed stops waiting when its caller aborts', async () => {
    const abort = new AbortController();
    const call = model.doGenerate({ ...scripted([minutesLong]), abortSignal: abort.signal });
    setImmediate(() => abort.abort());
    await expect(call).rejects.toThrow('abort');
  });
});

it('says so when a waiting call lost its caller', async () => {
  const abort = new AbortController();
  const { headers, prompt } = scripted([minutesLong]);
  const call = openai.chat('any').doGenerate({ prompt, headers, abortSignal: abort.signal });
  const gone = logged((line) => line.message === 'the client went away before its answer');
  const retry = setInterval(() => abort.abort(), 50);
  await expect(call).rejects.toThrow('abort');
  await gone;
  clearInterval(retry);
});
