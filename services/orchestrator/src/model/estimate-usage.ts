// What a model call that was cut off has taken: its provider says nothing of it any more, and bills it all the same. By length: a token is
// about four characters of most languages' text. A file counts as so much text, whatever its size. Pure.
import type { Prompt, ToolDefinition, Usage } from '@millrace/contracts';

const CHARS_PER_TOKEN = 4;
/** Providers count an image or a page as some hundreds of tokens, not by its bytes. */
const FILE_CHARS = 4_000;

/** @param saidChars of what the model had said, UTF-16 code units */
export function estimateUsage(asked: { prompt: Prompt; tools: readonly ToolDefinition[] }, saidChars: number): Usage {
  const { prompt, tools } = asked;
  const sent = JSON.stringify(
    [prompt, tools.map(({ name, description, inputSchema }) => [name, description, inputSchema])],
    shortened,
  );
  const inputTokens = Math.ceil(sent.length / CHARS_PER_TOKEN);
  const outputTokens = Math.ceil(saidChars / CHARS_PER_TOKEN);
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, estimated: true };
}

function shortened(key: string, value: unknown): unknown {
  return key === 'data' && typeof value === 'string' ? value.slice(0, FILE_CHARS) : value;
}
