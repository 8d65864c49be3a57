// The AI SDK's model of chat completions over servers that are compatible but for some members: it reads repaired events, and has their reasoning.
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { fetchBounded, isEventStream } from './body-bounds.ts';
import { createChatRepairer, repairChatBody } from './compatible-events.ts';
import type { Fetch } from './http-post.ts';
import { createReasoningReader } from './reasoning-parts.ts';
import { createSseSplitter, joinRepaired } from './sse-blocks.ts';

/** @param create makes the SDK's model over a `fetch` */
export function createCompatibleModel(create: (fetch: Fetch) => LanguageModelV4): LanguageModelV4 {
  const model = create(fetchRepaired);
  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(options),
    async doStream(options) {
      const result = await model.doStream({ ...options, includeRawChunks: true });
      return { ...result, stream: result.stream.pipeThrough(addReasoning(options.includeRawChunks === true)) };
    },
  };
}

function addReasoning(keepsRaw: boolean): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  const readReasoning = createReasoningReader();
  return new TransformStream({
    transform(part, controller) {
      for (const own of readReasoning(part)) controller.enqueue(own);
      if (keepsRaw || part.type !== 'raw') controller.enqueue(part);
    },
  });
}

const fetchRepaired: Fetch = async (url, init) => {
  const response = await fetchBounded(url, init);
  const { body, ok, status, statusText, headers } = response;
  if (!body || !ok) return response;
  const repaired = isEventStream(headers.get('content-type')) ? repairEvents(body) : await repairWhole(response);
  return new Response(repaired, { status, statusText, headers });
};

const repairWhole = async (response: Response): Promise<string> => repairChatBody(await response.text());

function repairEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array> {
  const splitter = createSseSplitter();
  const repair = createChatRepairer();
  const repairing = new TransformStream<string, string>({
    transform(text, controller) {
      controller.enqueue(
        splitter
          .split(text)
          .map((block) => joinRepaired(block, repair))
          .join(''),
      );
    },
    flush(controller) {
      controller.enqueue(splitter.takeRest());
    },
  });
  return body.pipeThrough(new TextDecoderStream()).pipeThrough(repairing).pipeThrough(new TextEncoderStream());
}
