// Reads the plain deltas of OpenAI's two streams and of Anthropic's directly, and leaves every other event to the AI SDK. The SDK spends six web streams on each
// event, and most events of an answer repeat the one before with another text. The first delta of a sequence passes the SDK; its part is the
// template of the others. The deltas that one read of the socket holds become one part.
//
// Order: a delta passes directly only if the SDK has given all parts of the events before. The SDK marks each event with a raw part, so the
// number of raw parts is the number of events that it has read.
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { boundResponse, isEventStream } from './body-bounds.ts';
import type { RepairEvent } from './compatible-events.ts';
import { rememberShape } from './delta-shape.ts';
import { groupBlocks, type BlockGroup } from './group-blocks.ts';
import { post, toResponse, type Fetch } from './http-post.ts';
import { createPartQueue } from './part-queue.ts';
import type { ReadDelta } from './plain-delta.ts';
import { createReasoningReader } from './reasoning-parts.ts';
import { relayBody } from './relay-body.ts';

type StreamResult = Awaited<ReturnType<LanguageModelV4['doStream']>>;
type DeltaPart = Extract<LanguageModelV4StreamPart, { type: 'text-delta' | 'reasoning-delta' }>;

export type StreamForm = {
  /** Recognizes the plain deltas of the model's API. */
  read: ReadDelta;
  /** Returns a function that repairs the events of one stream. */
  createRepairer(): RepairEvent;
};

/**
 * @param model the SDK's model
 * @param create makes the SDK's model over a `fetch`
 * @returns the same model; `doStream` joins and relays deltas, unless the call asks for raw chunks
 */
export function withDirectDeltas(
  model: LanguageModelV4,
  create: (fetch: Fetch) => LanguageModelV4,
  form: StreamForm,
): LanguageModelV4 {
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(options),
    async doStream(options): Promise<StreamResult> {
      if (options.includeRawChunks === true) return model.doStream(options);
      const relay = createRelay(form);
      const result = await create(relay.fetch).doStream({ ...options, includeRawChunks: true });
      return { ...result, stream: relay.followParts(result.stream) };
    },
  };
}

function createRelay({ read, createRepairer }: StreamForm) {
  const reader = { read: rememberShape(read), repair: createRepairer() };
  const readReasoning = createReasoningReader();
  const parts = createPartQueue();
  /** Number of events passed to the SDK, and of those with parts that it has started to return. */
  let given = 0;
  let begun = 0;
  /** Key of the delta that the SDK was given last, if no other event followed it. */
  let lastKey: string | undefined;
  let template: DeltaPart | undefined;

  const isDrained = (): boolean => lastKey !== undefined && begun === given;
  /** @returns the text that the SDK is to read: none if the group passed directly */
  const pass = (group: BlockGroup): string => {
    if (template && isDrained() && group.key === lastKey) {
      parts.push({ ...template, delta: group.text });
      return '';
    }
    given += group.events;
    lastKey = group.key;
    template = undefined;
    return group.readSource();
  };
  const transform = (part: LanguageModelV4StreamPart): readonly LanguageModelV4StreamPart[] => {
    const reasoning = readReasoning(part);
    if (part.type === 'raw') {
      begun += 1;
      return reasoning;
    }
    if (isDrained() && (part.type === 'text-delta' || part.type === 'reasoning-delta')) template = part;
    return [...reasoning, part];
  };
  const passAll: Parameters<typeof relayBody>[1] = (blocks, isSplitting) =>
    groupBlocks(blocks, isSplitting, reader).map(pass).join('');
  return {
    fetch: async (...[url, init]: Parameters<Fetch>): Promise<Response> => {
      const incoming = await post(url, init);
      const isRelayed = incoming.statusCode === 200 && isEventStream(incoming.headers['content-type']);
      if (!isRelayed) return boundResponse(toResponse(incoming));
      return toResponse(incoming, relayBody(incoming, passAll, { parts, signal: init?.signal }));
    },
    followParts: (stream: ReadableStream<LanguageModelV4StreamPart>) => parts.follow(stream, transform),
  };
}
