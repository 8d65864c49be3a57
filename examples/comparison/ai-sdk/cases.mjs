// AI SDK: middleware around the language model. It ships no guard for streams: the mask is the loop that a caller writes first, part by part.
import { createOpenAI } from '@ai-sdk/openai';
import { streamText, wrapLanguageModel } from 'ai';
import { runCase } from '../run-case.mjs';

const fail = () => {
  throw new TypeError('the guard has a fault');
};
const onParts = (transform) => ({
  wrapStream: async ({ doStream }) => {
    const { stream, ...rest } = await doStream();
    return { ...rest, stream: stream.pipeThrough(new TransformStream({ transform })) };
  },
});
const mask = (part, controller) =>
  controller.enqueue(
    part.type === 'text-delta'
      ? { ...part, delta: part.delta.replace(/\d{4} \d{4} \d{4} \d{4}/g, '[REDACTED]') }
      : part,
  );
const CASES = {
  'no-guard': {},
  'input-throws': { transformParams: async () => fail() },
  'stream-throws': onParts((part, controller) => (part.type === 'text-delta' ? fail() : controller.enqueue(part))),
  'guard-killed': { transformParams: async () => process.kill(process.pid, 'SIGKILL') },
  'cut-secret': onParts(mask),
};

await runCase(async ({ name, modelUrl, show }) => {
  const model = createOpenAI({ apiKey: 'none', baseURL: modelUrl }).chat('stand-in');
  const middleware = { specificationVersion: 'v4', ...CASES[name] };
  const { stream } = streamText({
    model: wrapLanguageModel({ model, middleware }),
    prompt: 'Which card do I use?',
    maxRetries: 0,
    onError: () => {},
  });
  for await (const part of stream) {
    if (part.type === 'text-delta') show(part.text);
    if (part.type === 'error') throw part.error;
  }
});
