// Shapes: https://platform.openai.com/docs/api-reference/responses/object and /responses-streaming
import type { TokenCounts } from './token-counts.ts';

export type ResponseEvent = { type: string; [member: string]: unknown };

type ResponseMembers = {
  id: string;
  created_at: number;
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled';
  model: string;
  [member: string]: unknown;
};

/** @param members replace the values of a response in progress without items */
export const describeResponseObject = ({ id, ...members }: ResponseMembers, usage?: TokenCounts): object => ({
  id,
  object: 'response',
  background: false,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  output: [],
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: true,
  metadata: {},
  ...members,
  usage: usage ? describeUsage(usage) : null,
});

const describeUsage = ({ inputTokens = 0, outputTokens = 0, ...more }: TokenCounts) => ({
  input_tokens: inputTokens,
  input_tokens_details: { cached_tokens: more.cachedInputTokens ?? 0 },
  output_tokens: outputTokens,
  output_tokens_details: { reasoning_tokens: more.reasoningTokens ?? 0 },
  total_tokens: more.totalTokens ?? inputTokens + outputTokens,
});

export const formatResponseEvent = (event: ResponseEvent, number: number): string =>
  `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: number })}\n\n`;
