// Collects the texts of the caller's messages to judge: each message, the user's messages joined, and all messages
// joined. So an attack that is split over two messages is found, even with another message between its parts.
import { listModelParts, type Message } from '@millrace/contracts';
import { listTexts } from '@millrace/processor';
import { mapMessage } from '../../guard/message-values.ts';
import type { GuardHit } from '../../guard/report.ts';
import type { TextSpan } from '../../text/span.ts';

type Section = TextSpan & { messageId: string };
/** `from`: `tool` for a tool's text, even if the caller sends it. */
export type JudgedText = { text: string; from: 'user' | 'tool'; sections: Section[] };
/** `messageIds`: the messages that contain a part of the hit. */
export type PlacedHit = { hit: GuardHit; text: string; messageIds: string[] };

export function collectTexts(messages: readonly Message[]): JudgedText[] {
  const each = messages.map((message) => ({
    text: readMessageText(message),
    messageId: message.id,
    from: getSpeaker(message),
  }));
  const users = each.filter((_, at) => messages[at]?.role === 'user');
  const together = [users.length < each.length ? users : [], each].filter((some) => some.length > 1);
  return [...each.map((one) => joinTexts([one], one.from)), ...together.map((some) => joinTexts(some, 'user'))];
}

/** Returns the author of a message's text, which may differ from its sender. */
export const getSpeaker = (message: Message): JudgedText['from'] =>
  message.role === 'user' || message.content.parts.every(({ type }) => type !== 'tool-invocation') ? 'user' : 'tool';

/** Joins texts by line breaks, because a phrase may start in one message and end in the next. */
function joinTexts(texts: readonly { text: string; messageId: string }[], from: JudgedText['from']): JudgedText {
  let start = 0;
  const sections = texts.map(({ text, messageId }) => {
    const section = { messageId, start, end: start + text.length };
    start = section.end + 1;
    return section;
  });
  return { text: texts.map(({ text }) => text).join('\n'), from, sections };
}

/**
 * Places each hit in its messages. A hit inside one message is not reported again for the joined messages. @param found
 * for each of `texts`
 */
export function placeHits(texts: readonly JudgedText[], found: readonly GuardHit[][]): PlacedHit[] {
  const own = new Map<string, GuardHit[]>();
  const placed: PlacedHit[] = [];
  /** Rules with the messages for which they are reported. */
  const reportedTexts = new Set<string>();
  for (const [at, { text, sections }] of texts.entries()) {
    const [first, ...others] = sections;
    const isOne = first !== undefined && others.length === 0;
    if (isOne) own.set(first.messageId, found[at] ?? []);
    for (const hit of found[at] ?? []) {
      const touched = sections.filter(({ start, end }) => start < hit.end && hit.start < end);
      if (!isOne && touched.some((section) => isKnown(hit, section, own))) continue;
      const messageIds = touched.map(({ messageId }) => messageId);
      const key = `${hit.rule} ${messageIds.join('\n')}`;
      if (!isOne && reportedTexts.has(key)) continue;
      reportedTexts.add(key);
      placed.push({ hit, text, messageIds });
    }
  }
  return placed;
}

function isKnown(hit: GuardHit, { messageId, start }: Section, own: ReadonlyMap<string, GuardHit[]>): boolean {
  return (own.get(messageId) ?? []).some((known) => start + known.start < hit.end && hit.start < start + known.end);
}

/** Returns all text that a model reads of a message, with the names of members and tools; each part on its own line. */
export function readMessageText(message: Message): string {
  const texts: string[] = [];
  const read = { ...message, content: { format: 2 as const, parts: listModelParts(message) } };
  mapMessage(read, (value) => {
    for (const text of listTexts(value)) texts.push(text);
    return value;
  });
  return texts.join('\n');
}
