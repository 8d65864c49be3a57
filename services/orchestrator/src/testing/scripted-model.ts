// A model that says what a test tells it, call by call; the last element is said again.
import type { Models } from '@millrace/models';
import type { ModelPart } from '../model/model-parts.ts';
import type { CallOptions, LanguageModel } from '../model/prompt.ts';

export type Say = {
  text?: string;
  calls?: { toolCallId: string; toolName: string; input: string }[];
  /** Thrown by the call, or in mid-stream after the text. */
  error?: unknown;
  breaksOff?: unknown;
  /** Waited for after the text, or until the call is given up. */
  until?: Promise<unknown>;
  warnings?: Extract<ModelPart, { type: 'stream-start' }>['warnings'];
  raw?: unknown[];
  /** What the provider's client tells beside the stream. */
  request?: { body?: unknown };
  response?: { headers?: Record<string, string> };
  /** Said although the call was given up. */
  lastWords?: string;
  /** Tokens that the provider counts in and out, each. */
  tokens?: number;
};

export type ScriptedModel = { models: Models; asked: CallOptions[] };

export function scriptModel(...script: Say[]): ScriptedModel {
  const asked: CallOptions[] = [];
  const doStream = async (options: CallOptions) => {
    const say = script[Math.min(asked.length, script.length - 1)] ?? {};
    asked.push(options);
    if (say.error !== undefined) throw say.error;
    const { request, response } = say;
    return { stream: streamOf(say, options.abortSignal), request, response };
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the orchestrator uses
  const model = { specificationVersion: 'v4', provider: 'test', modelId: 'test', doStream } as unknown as LanguageModel;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same
  return { models: { languageModel: () => model } as unknown as Models, asked };
}

function streamOf(
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
      if (until) await Promise.race([until, aborted(signal)]);
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

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
}
