// What one model call takes, counted once, however it ends: by what its provider said, else by an estimate. What a provider refused, or
// broke off before it said anything, took nothing.
import { withCost, type Chunk, type Prompt, type ToolDefinition, type Usage } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';
import { textPiece } from '../state/text-pieces.ts';
import { estimateUsage } from './estimate-usage.ts';
import type { ModelAnswered, ModelFailure } from './model-stream.ts';

export type CallMeter = {
  /** What the model says, as it comes. */
  said(chunks: readonly Chunk[]): void;
  /** What its provider says of it, which may come before it is cut off. */
  told(usage: Usage): void;
  /** The call has ended by itself. */
  ended(end: ModelAnswered): ModelAnswered;
  /** It has failed, before or while something was said. */
  failed(failure: ModelFailure): void;
  /** It is over, however: what it took, counted by now. undefined: nothing. */
  taken(): Usage | undefined;
};

type Asked = { model: string; prompt: Prompt; tools: readonly ToolDefinition[] };

export function createCallMeter(run: Run, { model, prompt, tools }: Asked): CallMeter {
  let saidChars = 0;
  let hasSaid = false;
  let isFree = false;
  let counted: Usage | undefined;
  let provider: Usage | undefined;
  const count = (tokens: Usage): Usage => {
    counted = withCost(tokens, run.agent.prices, model);
    run.dispatch({ action: 'model-answered', usage: counted });
    return counted;
  };
  return {
    said(chunks) {
      hasSaid ||= chunks.length > 0;
      for (const part of chunks) saidChars += textPiece(part)?.text.length ?? 0;
    },
    told: (usage) => void (provider = usage),
    ended: (end) => (counted ? end : { ...end, usage: count(end.usage) }),
    failed({ code }) {
      // One that fell silent had its prompt, and was at work on it.
      if (!hasSaid && code !== 'model-idle') isFree = true;
    },
    taken() {
      if (counted || isFree) return counted;
      const isTold = provider?.inputTokens !== undefined || provider?.outputTokens !== undefined;
      return count(isTold && provider ? provider : estimateUsage({ prompt, tools }, saidChars));
    },
  };
}
