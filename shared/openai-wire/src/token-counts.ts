/** Tokens of an answer. An unknown count is written as 0, and an unknown total as the sum. */
export type TokenCounts = {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  totalTokens?: number | undefined;
  cachedInputTokens?: number | undefined;
  /** Part of the output tokens. */
  reasoningTokens?: number | undefined;
};
