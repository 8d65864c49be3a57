import { once } from 'node:events';
import { createServer } from 'node:http';
import { APICallError } from 'ai';
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createModels } from '../create-models.ts';
import { sseEvents, startByteProvider, type ByteProvider } from '../testing/byte-provider.ts';

type Part = LanguageModelV4StreamPart;
type Options = Partial<Parameters<ReturnType<ReturnType<typeof createModels>['createLanguageModel']>['doStream']>[0]>;
let provider: ByteProvider;
beforeAll(async () => {
  provider = await startByteProvider();
});
afterAll(() => provider.close());

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];
const head = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm' };
const delta = (content: string) => ({ ...head, choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const stop = { ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
const buildDeltas = (count: number) => Array.from({ length: count }, (_, at) => delta(`w${at} `));
const joinText = (parts: readonly Part[]) =>
  parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');
const pieces = (parts: readonly Part[]) => parts.filter(({ type }) => type === 'text-delta').length;

const ask = (options: Options = {}, baseUrl = provider.baseUrl) =>
  createModels({ apiKey: 'none', baseUrl })
    .createLanguageModel('openai-chat/m', { joinsDeltas: true })
    .doStream({ prompt, ...options });

async function read(stream: ReadableStream<Part>, pause?: () => Promise<unknown>): Promise<Part[]> {
  const parts: Part[] = [];
  const reader = stream.getReader();
  for (let one = await reader.read(); !one.done; one = await reader.read()) {
    parts.push(one.value);
    await pause?.();
  }
  return parts;
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('deltas of one part', () => {
  test('that arrive in one read are one part', async () => {
    provider.answer({ pieces: [sseEvents(...buildDeltas(200), stop).join('')] });
    const parts = await read((await ask()).stream);
    expect(pieces(parts)).toBe(1);
    expect(joinText(parts)).toContain('w0 w1 w2 ');
    expect(parts.some(({ type }) => type === 'raw')).toBe(false);
  });

  test('are joined up to a bound', async () => {
    provider.answer({
      pieces: [sseEvents(...Array.from({ length: 8 }, () => delta('x'.repeat(5_000))), stop).join('')],
    });
    const parts = await read((await ask()).stream);
    expect(joinText(parts)).toHaveLength(40_000);
    expect(pieces(parts)).toBeGreaterThan(1);
  });

  test('stay apart if the call asks for raw chunks', async () => {
    provider.answer({ pieces: [sseEvents(...buildDeltas(20), stop).join('')] });
    expect(pieces(await read((await ask({ includeRawChunks: true })).stream))).toBe(20);
  });
});

describe('a reader', () => {
  test('that is slow loses nothing', async () => {
    const events = buildDeltas(5_000);
    provider.answer({
      pieces: [sseEvents(...events.slice(0, 2_500)).join(''), ...sseEvents(...events.slice(2_500), stop)],
    });
    const parts = await read((await ask()).stream, turn);
    expect(joinText(parts)).toBe(Array.from({ length: 5_000 }, (_, at) => `w${at} `).join(''));
  });

  test('that stops reading stops the socket, and its cancellation closes it', async () => {
    const closed = Promise.withResolvers<void>();
    let written = 0;
    const server = createServer((incoming, outgoing) => {
      incoming.resume();
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      const [event = ''] = sseEvents(delta('word '.repeat(1_000)));
      const write = () => {
        while (outgoing.write(event)) written += 1;
      };
      outgoing.on('drain', write);
      outgoing.on('close', closed.resolve);
      write();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { stream } = await ask({}, `http://127.0.0.1:${port}/v1`);
    let before = -1;
    for (let quiet = 0; quiet < 200; quiet = written === before ? quiet + 1 : 0) {
      before = written;
      await turn();
    }
    expect(written).toBeLessThan(5_000);
    await stream.cancel();
    await closed.promise;
    server.close();
  });
});

describe('a call', () => {
  test('that is aborted while it streams ends with an error', async () => {
    provider.answer({ pieces: [...sseEvents(...buildDeltas(100)), ''], everyMs: 5 });
    const giveUp = new AbortController();
    const { stream } = await ask({ abortSignal: giveUp.signal });
    const reading = read(stream);
    await turn();
    giveUp.abort();
    await expect(reading).rejects.toThrow('abort');
  });

  test('that is cut off by the network rejects behind the parts before', async () => {
    provider.answer({ pieces: sseEvents(...buildDeltas(3)), everyMs: 5, isCut: true });
    const { stream } = await ask();
    await expect(read(stream)).rejects.toThrow('Failed to process');
  });

  test('over an idle connection that the server has closed is sent once more', async () => {
    const seen = new WeakSet<object>();
    const server = createServer((incoming, outgoing) => {
      incoming.resume();
      if (seen.has(incoming.socket)) return void incoming.socket.destroy();
      seen.add(incoming.socket);
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).end(sseEvents(...buildDeltas(2), stop).join(''));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const texts: string[] = [];
    for (let call = 0; call < 3; call += 1) {
      texts.push(joinText(await read((await ask({}, `http://127.0.0.1:${port}/v1`)).stream)));
      await turn();
    }
    server.closeAllConnections();
    server.close();
    expect(texts).toEqual(['w0 w1 ', 'w0 w1 ', 'w0 w1 ']);
  });

  test('of a provider that is away may be tried again', async () => {
    const asked = ask({}, 'http://127.0.0.1:9/v1');
    await expect(asked).rejects.toSatisfy((error) => APICallError.isInstance(error) && error.isRetryable);
  });
});
