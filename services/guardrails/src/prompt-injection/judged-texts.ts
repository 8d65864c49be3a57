// What is judged of the caller's messages: each of them, what the user says in several of them read together, and all of them read
// together. An attempt cut over two messages is one, and so is one with something between its halves.
import { modelParts, type JsonValue, type Message } from '@millrace/contracts';
import { mapMessage } from '../guard/message-values.ts';
import type { Hit } from '../guard/report.ts';
import type { Span } from '../text/span.ts';

type Section = Span & { messageId: string };
/** `from`: a tool's words are judged as such, whoever hands them over. */
export type JudgedText = { text: string; from: 'user' | 'tool'; sections: Section[] };
/** `messageIds`: of the messages that have a part in it. */
export type PlacedHit = { hit: Hit; text: string; messageIds: string[] };

export function judgedTexts(messages: readonly Message[]): JudgedText[] {
  const each = messages.map((message) => ({ text: textOf(message), messageId: message.id, from: speakerOf(message) }));
  const users = each.filter((_, at) => messages[at]?.role === 'user');
  const together = [users.length < each.length ? users : [], each].filter((some) => some.length > 1);
  return [...each.map((one) => joined([one], one.from)), ...together.map((some) => joined(some, 'user'))];
}

/** Whose words a message holds, whoever sends it. */
export const speakerOf = (message: Message): JudgedText['from'] =>
  message.role === 'user' || message.content.parts.every(({ type }) => type !== 'tool-invocation') ? 'user' : 'tool';

/** On lines of their own: a phrase may begin in one and end in the next. */
function joined(texts: readonly { text: string; messageId: string }[], from: JudgedText['from']): JudgedText {
  let start = 0;
  const sections = texts.map(({ text, messageId }) => {
    const section = { messageId, start, end: start + text.length };
    start = section.end + 1;
    return section;
  });
  return { text: texts.map(({ text }) => text).join('\n'), from, sections };
}

/** What is found in one message is not told again where messages are read together. @param found for each of `texts` */
export function placedHits(texts: readonly JudgedText[], found: readonly Hit[][]): PlacedHit[] {
  const own = new Map<string, Hit[]>();
  const placed: PlacedHit[] = [];
  /** Rules with the messages that they are told of. */
  const told = new Set<string>();
  for (const [at, { text, sections }] of texts.entries()) {
    const [first, ...others] = sections;
    const isOne = first !== undefined && others.length === 0;
    if (isOne) own.set(first.messageId, found[at] ?? []);
    for (const hit of found[at] ?? []) {
      const touched = sections.filter(({ start, end }) => start < hit.end && hit.start < end);
      if (!isOne && touched.some((section) => isKnown(hit, section, own))) continue;
      const messageIds = touched.map(({ messageId }) => messageId);
      const key = `${hit.rule} ${messageIds.join('\n')}`;
      if (!isOne && told.has(key)) continue;
      told.add(key);
      placed.push({ hit, text, messageIds });
    }
  }
  return placed;
}

function isKnown(hit: Hit, { messageId, start }: Section, own: ReadonlyMap<string, Hit[]>): boolean {
  return (own.get(messageId) ?? []).some((known) => start + known.start < hit.end && hit.start < start + known.end);
}

/** All that a model reads of a message, names of members and tools included; parts on lines of their own. */
export function textOf(message: Message): string {
  const texts: string[] = [];
  const read = { ...message, content: { format: 2 as const, parts: modelParts(message) } };
  mapMessage(read, (value) => {
    texts.push(...textsIn(value));
    return value;
  });
  return texts.join('\n');
}

/** All strings of a value, names included: the model reads those too. */
export function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)]);
}
