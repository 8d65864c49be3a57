// What a model call that was cancelled has cost: the provider says nothing of it any more, and bills it all the same. By length: a token is
// about four characters of most languages' text. Pure.
import type { Prompt, Usage } from '@millrace/contracts';

const CHARS_PER_TOKEN = 4;

/** @param saidChars of what the model had said, UTF-16 code units */
export function estimateUsage(prompt: Prompt, saidChars: number): Usage {
  const inputTokens = Math.ceil(JSON.stringify(prompt).length / CHARS_PER_TOKEN);
  const outputTokens = Math.ceil(saidChars / CHARS_PER_TOKEN);
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}
