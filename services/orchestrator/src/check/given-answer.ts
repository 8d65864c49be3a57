// Models that answer with a given text: a check passes it through the stages of an answer without a model call.
import { MillraceError } from '@millrace/contracts';
import type { Models } from '@millrace/models';
import type { ModelPart } from '../model/prompt.ts';
import type { LanguageModel } from '../model/prompt.ts';

/** `isCutOff`: the text is the beginning of an answer, so that processors drop the text that they have not decided. */
export type GivenAnswer = { text: string; isCutOff: boolean };

/** The usage of an answer is zero: no model was called. */
export function createGivenModels(answer: GivenAnswer): Models {
  const model: LanguageModel = {
    specificationVersion: 'v4',
    provider: 'check',
    modelId: 'given',
    supportedUrls: {},
    doGenerate: () => refuse(),
    doStream: async () => ({ stream: ReadableStream.from(listParts(answer)) }),
  };
  return {
    createLanguageModel: () => model,
    listProviders: () => [],
    identifyRoute: () => '',
    createEmbedder: () => refuse(),
    generateObject: () => refuse(),
  };
}

function refuse(): never {
  throw new MillraceError('internal', 'A check calls no model.');
}

const NO_TOKENS = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 };

function listParts({ text, isCutOff }: GivenAnswer): ModelPart[] {
  const unified = isCutOff ? ('length' as const) : ('stop' as const);
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: 'given' },
    { type: 'text-delta', id: 'given', delta: text },
    { type: 'text-end', id: 'given' },
    {
      type: 'finish',
      finishReason: { unified, raw: unified },
      usage: { inputTokens: NO_TOKENS, outputTokens: { total: 0, text: 0, reasoning: 0 } },
    },
  ];
}
