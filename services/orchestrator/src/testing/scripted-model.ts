// A model that a test scripts, call by call; the last element is repeated.
import { MillraceError } from '@millrace/contracts';
import type { Models } from '@millrace/models';
import type { LanguageModel, ModelCallOptions, ModelPart } from '../model/prompt.ts';

export type Say = {
  text?: string;
  calls?: { toolCallId: string; toolName: string; input: string }[];
  /** Thrown by the call, or in mid-stream after the text. */
  error?: unknown;
  breaksOff?: unknown;
  /** Awaited after the text, or until the call is abandoned. */
  until?: Promise<unknown>;
  warnings?: Extract<ModelPart, { type: 'stream-start' }>['warnings'];
  raw?: unknown[];
  /** Details that the provider's client returns in addition to the stream. */
  request?: { body?: unknown };
  response?: { headers?: Record<string, string> };
  /** Sent although the call was abandoned. */
  lastWords?: string;
  /** Number of input and output tokens that the provider counts, each. */
  tokens?: number;
};

export type ScriptedModel = { models: Models; asked: ModelCallOptions[] };

export const scriptModel = (...script: Say[]): ScriptedModel =>
  answerModel((_options, count) => script[Math.min(count, script.length - 1)] ?? {});

/** @param answer called with the number of earlier calls */
export function answerModel(answer: (options: ModelCallOptions, count: number) => Say): ScriptedModel {
  const asked: ModelCallOptions[] = [];
  const doStream = async (options: ModelCallOptions) => {
    const say = answer(options, asked.length);
    asked.push(options);
    if (say.error !== undefined) throw say.error;
    const { request, response } = say;
    return { stream: makeStream(say, options.abortSignal), request, response };
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the orchestrator uses
  const model = { specificationVersion: 'v4', provider: 'test', modelId: 'test', doStream } as unknown as LanguageModel;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same
  return { models: { createLanguageModel: () => model } as unknown as Models, asked };
}

/** Models with a script each, by id. `asked`: the ids in the order of the calls; `calls`: their options. */
export function scriptModels(scripts: Readonly<Record<string, Say[]>>) {
  const asked: string[] = [];
  const calls: ModelCallOptions[] = [];
  const scripted = new Map(Object.entries(scripts).map(([id, script]) => [id, scriptModel(...script).models]));
  const createLanguageModel = (id: string): LanguageModel => {
    const model = scripted.get(id)?.createLanguageModel(id);
    if (!model) throw new MillraceError('model-unknown', `There is no language model "${id}".`);
    const record = (options: ModelCallOptions) => (asked.push(id), calls.push(options));
    return { ...model, doStream: (options) => (record(options), model.doStream(options)) };
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the orchestrator uses
  return { models: { createLanguageModel } as unknown as Models, asked, calls };
}

function makeStream(
  { text = '', calls = [], warnings = [], raw = [], breaksOff, until, lastWords, tokens }: Say,
  signal: AbortSignal | undefined,
): ReadableStream<ModelPart> {
  const isEmpty = text === '';
  const parts: ModelPart[] = [
    { type: 'stream-start', warnings },
    ...raw.map((rawValue): ModelPart => ({ type: 'raw', rawValue })),
    ...(isEmpty ? [] : textParts(text)),
    ...calls.map((call): ModelPart => ({ type: 'tool-call', ...call })),
  ];
  return new ReadableStream<ModelPart>({
    async start(controller) {
      for (const part of parts) controller.enqueue(part);
      if (until) await Promise.race([until, awaitAbort(signal)]);
      if (signal?.aborted && lastWords !== undefined) for (const part of textParts(lastWords)) controller.enqueue(part);
      else if (signal?.aborted) return controller.error(signal.reason);
      if (breaksOff === undefined) controller.enqueue(finish(calls.length > 0, tokens));
      else controller.enqueue({ type: 'error', error: breaksOff });
      controller.close();
    },
  });
}

function textParts(text: string): ModelPart[] {
  return [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: text },
    { type: 'text-end', id: 't' },
  ];
}

function finish(hasCalls: boolean, tokens?: number): ModelPart {
  const unified = hasCalls ? ('tool-calls' as const) : ('stop' as const);
  return {
    type: 'finish',
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: tokens ?? 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: tokens ?? 2, text: 2, reasoning: 0 },
    },
  };
}

function awaitAbort(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
}
