// The direct reader against the AI SDK alone, over recorded streams that arrive in pieces of every size: the same parts in the same order, but
// for deltas that are joined.
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModelError } from '@millrace/contracts';
import { createModels } from '../create-models.ts';
import { toModelError } from '../model-error.ts';
import { startByteProvider, type ByteAnswer, type ByteProvider } from '../testing/byte-provider.ts';
import { ANTHROPIC_STREAMS } from '../testing/anthropic-streams.ts';
import { OPENAI_STREAMS, type RecordedStream } from '../testing/openai-streams.ts';

type Part = LanguageModelV4StreamPart;
let provider: ByteProvider;
beforeAll(async () => {
  provider = await startByteProvider();
});
afterAll(() => provider.close());

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];
/** The default of `createModels`. */
const providerOptions = { openai: { store: false } };

async function collectParts(
  model: LanguageModelV4,
  answer: ByteAnswer,
): Promise<{ parts: Part[]; error?: ModelError }> {
  provider.answer(answer);
  const parts: Part[] = [];
  try {
    const { stream } = await model.doStream({ prompt, providerOptions });
    const reader = stream.getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) parts.push(read.value);
    return { parts: joinParts(parts) };
  } catch (error) {
    return { parts: joinParts(parts), error: toModelError(error) };
  }
}

/** Adjacent deltas of one part as one; ids that the SDK makes up are left out. */
function joinParts(parts: readonly Part[]): Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last && 'delta' in part && 'delta' in last && isSamePiece(last, part)) {
      all[all.length - 1] = { ...last, delta: last.delta + part.delta };
    } else all.push(part.type === 'source' ? { ...part, id: 'made-up' } : part);
  }
  return all;
}
const isSamePiece = (one: Part, other: Part): boolean =>
  JSON.stringify({ ...one, delta: '' }) === JSON.stringify({ ...other, delta: '' });

const sdk = (model: string): LanguageModelV4 => {
  if (model.startsWith('anthropic/'))
    return createAnthropic({ apiKey: 'none', baseURL: provider.baseUrl }).languageModel('m');
  const openai = createOpenAI({ apiKey: 'none', baseURL: provider.baseUrl });
  return model.startsWith('openai-chat/') ? openai.chat('m') : openai.responses('m');
};
const direct = (model: string) => {
  const { baseUrl } = provider;
  const anthropic = { kind: 'anthropic' as const, apiKey: 'none', baseUrl, headers: {}, promptCache: false };
  const models = createModels({ apiKey: 'none', baseUrl, providers: new Map([['anthropic', anthropic]]) });
  return models.createLanguageModel(model, { joinsDeltas: true });
};

const encodeEvents = ({ events }: RecordedStream, end = '\n\n') =>
  Buffer.from(events.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}${end}`).join(''));

/** Cuts that differ from stream to stream and are the same in every run. */
function cutAnywhere(bytes: Buffer, seed: number): Buffer[] {
  const pieces: Buffer[] = [];
  let state = seed;
  for (let from = 0; from < bytes.length;) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    const size = 1 + (state % (seed % 2 === 0 ? 40 : 700));
    pieces.push(bytes.subarray(from, from + size));
    from += size;
  }
  return pieces;
}

const FORMS: Record<string, (stream: RecordedStream) => ByteAnswer> = {
  'in one write': (stream) => ({ pieces: [encodeEvents(stream)] }),
  'event by event': (stream) => ({ pieces: stream.events.map((one) => encodeEvents({ ...stream, events: [one] })) }),
  'event by event with pauses': (stream) => ({
    pieces: stream.events.map((one) => encodeEvents({ ...stream, events: [one] })),
    everyMs: 2,
  }),
  'in small pieces': (stream) => ({ pieces: cutAnywhere(encodeEvents(stream), 4) }),
  'in large pieces': (stream) => ({ pieces: cutAnywhere(encodeEvents(stream), 7) }),
  'with other line ends': (stream) => ({ pieces: cutAnywhere(encodeEvents(stream, '\r\n\r\n'), 9) }),
  'with carriage returns alone': (stream) => ({ pieces: cutAnywhere(encodeEvents(stream, '\r\r'), 9) }),
  'without its last half': (stream) => {
    const bytes = encodeEvents(stream);
    return { pieces: cutAnywhere(bytes.subarray(0, bytes.length >> 1), 5) };
  },
  'with its connection cut': (stream) => ({
    pieces: [...cutAnywhere(encodeEvents(stream), 5).slice(0, 4), 'data: {"cut'],
    everyMs: 5,
    isCut: true,
  }),
  'as HTML': () => ({ headers: { 'content-type': 'text/html' }, pieces: ['<html>Maintenance</html>'] }),
  'as a refusal': () => ({
    status: 429,
    headers: { 'content-type': 'application/json', 'retry-after': '3' },
    pieces: ['{"error":{"message":"Slow down.","type":"requests","code":"rate_limit_exceeded"}}'],
  }),
};

describe.each(
  [...OPENAI_STREAMS, ...ANTHROPIC_STREAMS].map((stream) => [`${stream.model}: ${stream.name}`, stream] as const),
)('%s', (_, stream) => {
  test.each(Object.entries(FORMS))('sent %s gives the parts that the AI SDK gives', async (_form, form) => {
    const expected = await collectParts(sdk(stream.model), form(stream));
    expect(await collectParts(direct(stream.model), form(stream))).toEqual(expected);
  });
});
