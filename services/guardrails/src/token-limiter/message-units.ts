// What a prompt is made of, for counting: the texts of each message, and which messages stay or go together. Files and the
// definitions of tools are not counted: what they cost is the provider's own.
import { modelParts, type JsonValue, type Message, type MessagePart, type Prompt } from '@millrace/contracts';
import type { Unit } from './fit-tokens.ts';

/** What a model reads of one message. */
export type Told = { role: string; texts: string[] };

/** What a message costs beside its texts: its role and the marks around it. An estimate for all providers. */
const MESSAGE_TOKENS = 4;

export const toldByMessage = (message: Message): Told => ({
  role: message.role,
  texts: modelParts(message).flatMap(textsOfPart),
});

function textsOfPart(part: MessagePart): string[] {
  if (part.type === 'text') return [part.text];
  if (part.type !== 'tool-invocation') return [];
  const { toolName, args, result } = part.toolInvocation;
  return [toolName, JSON.stringify(args), ...(result === undefined ? [] : [JSON.stringify(result)])];
}

export function toldByPrompt({ role, content }: Prompt[number]): Told {
  if (typeof content === 'string') return { role, texts: [content] };
  return { role, texts: Array.isArray(content) ? content.flatMap(textsOfContent) : [] };
}

const COUNTED = ['text', 'toolName', 'input', 'output'] as const;

function textsOfContent(part: Record<string, JsonValue | undefined>): string[] {
  if (part['type'] === 'file') return [];
  return COUNTED.flatMap((name) => {
    const value = part[name];
    if (value === undefined) return [];
    return [typeof value === 'string' ? value : JSON.stringify(value)];
  });
}

/** The place of the first message of the turn that is under way: the last that the user said. */
function turnStart(roles: readonly string[]): number {
  const last = roles.lastIndexOf('user');
  return last < 0 ? roles.length - 1 : last;
}

/** System messages and the turn that is under way must stay; results stay with what called for them. @param tokens of each */
export function unitsOf(told: readonly Told[], tokens: readonly number[]): Unit[] {
  const current = turnStart(told.map(({ role }) => role));
  const units: Unit[] = [];
  for (const [at, { role }] of told.entries()) {
    const cost = (tokens[at] ?? 0) + MESSAGE_TOKENS;
    const mustStay = role === 'system' || at >= current;
    const before = units.at(-1);
    if (role === 'tool' && before && before.mustStay === mustStay) {
      before.members.push(at);
      before.tokens += cost;
    } else units.push({ members: [at], tokens: cost, mustStay });
  }
  return units;
}
