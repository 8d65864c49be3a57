// Splits a prompt into units for counting: the texts of each message, and the groups that stay or drop together. Files
// and tool definitions are not counted, because each provider counts them differently.
import {
  isObject,
  listModelParts,
  type JsonValue,
  type Message,
  type MessagePart,
  type Prompt,
} from '@millrace/contracts';
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

function listContentTexts(part: Record<string, JsonValue | undefined>): string[] {
  if (part['type'] === 'file') return [];
  const { text, toolName, input, output } = part;
  return [text, toolName, input].flatMap(listValueTexts).concat(output === undefined ? [] : readOutputText(output));
}

const listValueTexts = (value: JsonValue | undefined): string[] => (value === undefined ? [] : [writeText(value)]);
const writeText = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Returns the text of a tool's result in a prompt, as the provider sends it. */
export const readOutputText = (output: JsonValue): string =>
  writeText(isObject(output) && output['value'] !== undefined ? output['value'] : output);

/** Returns whether a message of these roles is a system message or belongs to the current turn, which starts at the last user message. */
export function findRequired(roles: readonly string[]): (at: number) => boolean {
  const last = roles.lastIndexOf('user');
  const current = last < 0 ? roles.length - 1 : last;
  return (at) => roles[at] === 'system' || at >= current;
}

/** Estimates the tokens of a message from those of its texts. */
export const addMessageTokens = (tokens: number): number => tokens + MESSAGE_TOKENS;

/**
 * Groups messages into units: a result stays with its call.
 * @param tokens of each message
 * @param isFixed whether a message has to stay
 */
export function groupUnits(
  counted: readonly Pick<CountedMessage, 'role'>[],
  tokens: readonly number[],
  isFixed: (at: number) => boolean,
): TokenUnit[] {
  const units: TokenUnit[] = [];
  for (const [at, { role }] of counted.entries()) {
    const cost = addMessageTokens(tokens[at] ?? 0);
    const before = units.at(-1);
    if (role === 'tool' && before && before.isFixed === isFixed(at)) {
      before.members.push(at);
      before.tokens += cost;
    } else units.push({ members: [at], tokens: cost, isFixed: isFixed(at) });
  }
  return units;
}
