// Cuts a reply at a stop sequence or at the token limit of the call. dev-model has no tokenizer: a token is four
// characters, OpenAI's rule of thumb for English (https://help.openai.com/en/articles/4936856), here and in every usage
// figure.
import type { ServedCall, ModelTurn } from './conversation.ts';
import type { ModelReply } from './reply.ts';

const charactersPerToken = 4;

export const estimateTokens = (text: string): number => Math.ceil(text.length / charactersPerToken);

const joinTurnText = (turn: ModelTurn): string =>
  turn.role === 'assistant' ? turn.text + turn.toolCalls.map((call) => call.name + call.arguments).join('') : turn.text;

export const countInputTokens = (turns: readonly ModelTurn[]): number =>
  turns.reduce((sum, turn) => sum + estimateTokens(joinTurnText(turn)), 0);

/** The output includes the reasoning, as in OpenAI's figures. */
export function countUsage(call: ServedCall, reply: ModelReply) {
  const reasoningTokens = estimateTokens(reply.reasoning);
  const calls = reply.toolCalls.reduce((sum, { name, arguments: args }) => sum + estimateTokens(name + args), 0);
  return {
    inputTokens: countInputTokens(call.conversation.turns),
    outputTokens: reasoningTokens + estimateTokens(reply.text) + calls,
    reasoningTokens,
  };
}

/** Cuts the reply to the limits of the call and drops the tool calls after a cut text. */
export function cutToLimits(reply: ModelReply, call: ServedCall): ModelReply {
  const stop = findFirstStop(reply.text, call.stopSequences);
  if (stop !== undefined) return { ...reply, text: reply.text.slice(0, stop), toolCalls: [] };

  if (call.maxOutputTokens === undefined) return reply;
  const room = call.maxOutputTokens * charactersPerToken;
  if (reply.reasoning.length + reply.text.length <= room) return reply;
  const reasoning = sliceWhole(reply.reasoning, room);
  return {
    ...reply,
    reasoning,
    text: sliceWhole(reply.text, room - reasoning.length),
    toolCalls: [],
    finish: 'length',
  };
}

function findFirstStop(text: string, sequences: readonly string[]): number | undefined {
  const found = sequences.map((sequence) => text.indexOf(sequence)).filter((at) => at >= 0);
  return found.length === 0 ? undefined : Math.min(...found);
}

/** Returns the first `length` UTF-16 units, one fewer if the cut would split a surrogate pair. */
function sliceWhole(text: string, length: number): string {
  const cut = text.slice(0, length);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
