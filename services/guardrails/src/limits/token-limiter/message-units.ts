// Splits a prompt into units for counting: the texts of each message, and the groups that stay or drop together. Files
// and tool definitions are not counted, because each provider counts them differently.
import { listModelParts, type JsonValue, type Message, type MessagePart, type Prompt } from '@millrace/contracts';
import type { TokenUnit } from './fit-tokens.ts';

/** Role and texts of a message as a model reads them. */
export type CountedMessage = { role: string; texts: string[] };

/** Estimated cost of a message's role and delimiters, for all providers. */
const MESSAGE_TOKENS = 4;

export const readMessage = (message: Message): CountedMessage => ({
  role: message.role,
  texts: listModelParts(message).flatMap(listPartTexts),
});

function listPartTexts(part: MessagePart): string[] {
  if (part.type === 'text') return [part.text];
  if (part.type !== 'tool-invocation') return [];
  const { toolName, args, result } = part.toolInvocation;
  return [toolName, JSON.stringify(args), ...(result === undefined ? [] : [JSON.stringify(result)])];
}

export function readPromptMessage({ role, content }: Prompt[number]): CountedMessage {
  if (typeof content === 'string') return { role, texts: [content] };
  return { role, texts: Array.isArray(content) ? content.flatMap(listContentTexts) : [] };
}

const COUNTED = ['text', 'toolName', 'input', 'output'] as const;

function listContentTexts(part: Record<string, JsonValue | undefined>): string[] {
  if (part['type'] === 'file') return [];
  return COUNTED.flatMap((name) => {
    const value = part[name];
    if (value === undefined) return [];
    return [typeof value === 'string' ? value : JSON.stringify(value)];
  });
}

/** Returns the index of the first message of the current turn: the last user message. */
function findTurnStart(roles: readonly string[]): number {
  const last = roles.lastIndexOf('user');
  return last < 0 ? roles.length - 1 : last;
}

/**
 * Groups messages into units. System messages and the current turn must stay; a result stays with its call. @param
 * tokens of each message
 */
export function groupUnits(counted: readonly CountedMessage[], tokens: readonly number[]): TokenUnit[] {
  const current = findTurnStart(counted.map(({ role }) => role));
  const units: TokenUnit[] = [];
  for (const [at, { role }] of counted.entries()) {
    const cost = (tokens[at] ?? 0) + MESSAGE_TOKENS;
    const isFixed = role === 'system' || at >= current;
    const before = units.at(-1);
    if (role === 'tool' && before && before.isFixed === isFixed) {
      before.members.push(at);
      before.tokens += cost;
    } else units.push({ members: [at], tokens: cost, isFixed });
  }
  return units;
}
