// Cuts a reply where its caller asked: at a stop sequence, or at the greatest number of tokens. The stand-in has no
// tokenizer: a token is four characters, OpenAI's rule of thumb for English
// (https://help.openai.com/en/articles/4936856), here and in every usage figure.
import type { ModelCall, Turn } from './conversation.ts';
import type { Reply } from './reply.ts';

const charactersPerToken = 4;

export const tokensOf = (text: string): number => Math.ceil(text.length / charactersPerToken);

const turnText = (turn: Turn): string =>
  turn.role === 'assistant' ? turn.text + turn.toolCalls.map((call) => call.name + call.arguments).join('') : turn.text;

const inputTokens = (turns: readonly Turn[]): number => turns.reduce((sum, turn) => sum + tokensOf(turnText(turn)), 0);

export type Usage = { readonly input: number; readonly output: number; readonly reasoning: number };

/** `output` includes `reasoning`, as in OpenAI's figures. */
export function usageOf(call: ModelCall, reply: Reply): Usage {
  const reasoning = tokensOf(reply.reasoning);
  const calls = reply.toolCalls.reduce((sum, { name, arguments: args }) => sum + tokensOf(name + args), 0);
  return { input: inputTokens(call.conversation.turns), output: reasoning + tokensOf(reply.text) + calls, reasoning };
}

/** The reply as the caller's limits leave it. What does not fit is cut, calls after a cut text do not happen. */
export function withinLimits(reply: Reply, call: ModelCall): Reply {
  const stop = firstStop(reply.text, call.stopSequences);
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

function firstStop(text: string, sequences: readonly string[]): number | undefined {
  const found = sequences.map((sequence) => text.indexOf(sequence)).filter((at) => at >= 0);
  return found.length === 0 ? undefined : Math.min(...found);
}

/** The first `length` UTF-16 units, one fewer where the last would be half of a pair. */
function sliceWhole(text: string, length: number): string {
  const cut = text.slice(0, length);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
