// Counts the usage of one model call once, however it ends: by the provider's report, otherwise by an estimate. A call
// that the provider refused, or broke off before any text, costs nothing.
import { withCost, type Chunk, type Prompt, type ToolDefinition, type Usage } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';
import { readPrices } from '../state/run-prices.ts';
import { readTextPiece } from '../transcript/text-pieces.ts';
import type { ModelAnswered, ModelFailure } from './model-stream.ts';

export type CallMeter = {
  /** Counts the model's text as it arrives. */
  countChunks(chunks: readonly Chunk[]): void;
  /** Records the provider's usage, which may arrive before the call is cut off. */
  recordUsage(usage: Usage): void;
  /** Records that the call has ended by itself. */
  recordEnd(end: ModelAnswered): ModelAnswered;
  /** Records that the call has failed, before or after its first text. */
  recordFailure(failure: ModelFailure): void;
  /** Returns the usage of the call so far, or undefined if it costs nothing. */
  takeUsage(): Usage | undefined;
  /** Returns the cost of the call so far, which need not be counted; undefined if it is unknown. */
  readCost(): number | undefined;
};

type MeteredRequest = { model: string; prompt: Prompt; tools: readonly ToolDefinition[] };

export function createCallMeter(run: Run, { model, prompt, tools }: MeteredRequest): CallMeter {
  let answerChars = 0;
  let hasAnswered = false;
  let isFree = false;
  let counted: Usage | undefined;
  let provider: Usage | undefined;
  const prices = readPrices(run);
  const count = (tokens: Usage): Usage => {
    counted = withCost(tokens, prices, model);
    run.dispatch({ action: 'model-answered', usage: counted });
    return counted;
  };
  const readSoFar = (): Usage => {
    const isReported = provider?.inputTokens !== undefined || provider?.outputTokens !== undefined;
    return isReported && provider ? provider : estimateUsage({ prompt, tools }, answerChars);
  };
  return {
    countChunks(chunks) {
      hasAnswered ||= chunks.length > 0;
      for (const part of chunks) answerChars += readTextPiece(part)?.text.length ?? 0;
    },
    recordUsage: (usage) => void (provider = usage),
    recordEnd: (end) => (counted ? end : { ...end, usage: count(end.usage) }),
    recordFailure({ code }) {
      // A silent model had received its prompt and was working on it.
      if (!hasAnswered && code !== 'model-idle') isFree = true;
    },
    takeUsage() {
      return counted || isFree ? counted : count(readSoFar());
    },
    readCost: () => (isFree && !counted ? 0 : (counted ?? withCost(readSoFar(), prices, model)).cost),
  };
}

/** Estimates the usage of a model call that was cut off: its provider does not report it any more, but bills it. By length: a token is about four characters of text in most languages. A file counts as a fixed amount of text. Pure. */
const CHARS_PER_TOKEN = 4;
/** Providers count an image or a page as some hundreds of tokens, whatever its bytes. */
const FILE_CHARS = 4_000;

/** @param answerChars length of the model's text so far, in UTF-16 code units */
export function estimateUsage(asked: { prompt: Prompt; tools: readonly ToolDefinition[] }, answerChars: number): Usage {
  const { prompt, tools } = asked;
  const sent = JSON.stringify(
    [prompt, tools.map(({ name, description, inputSchema }) => [name, description, inputSchema])],
    shortenMember,
  );
  const inputTokens = Math.ceil(sent.length / CHARS_PER_TOKEN);
  const outputTokens = Math.ceil(answerChars / CHARS_PER_TOKEN);
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, estimated: true };
}

function shortenMember(key: string, value: unknown): unknown {
  return key === 'data' && typeof value === 'string' ? value.slice(0, FILE_CHARS) : value;
}
