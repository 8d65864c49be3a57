// Converts an array of messages that a processor returns into operations: missing ids are removed, changed messages
// replaced, new ones added with the stage's source, and `system` entries become system messages. docs/semantics.md,
// section 4.
import type { ConversationEntry, MessageOp, MessageSource } from './conversation.ts';
import { readMessageText, type Message } from './message.ts';

/** Tag of system messages that a processor hands back inside its message array. */
export const RETURNED_SYSTEM_TAG = 'processor';

export function reconcile(
  given: readonly ConversationEntry[],
  returned: readonly Message[],
  newSource: MessageSource,
): MessageOp[] {
  const system = returned.filter((message) => message.role === 'system');
  const kept = returned.filter((message) => message.role !== 'system');
  const before = new Map(given.map((entry) => [entry.message.id, JSON.stringify(entry.message)]));
  const after = new Set(kept.map((message) => message.id));
  const removed = [...before.keys()].filter((id) => !after.has(id));

  const ops: MessageOp[] = removed.length === 0 ? [] : [{ op: 'remove', ids: removed }];
  const nextKnown = findNextKnown(kept, before);
  kept.forEach((message, at) => {
    const was = before.get(message.id);
    if (was === undefined) ops.push(createAddition(message, newSource, nextKnown[at]));
    else if (was !== JSON.stringify(message)) ops.push({ op: 'replace', message });
  });
  if (system.length > 0)
    ops.push({ op: 'system-add', tag: RETURNED_SYSTEM_TAG, contents: system.map(readMessageText) });
  return ops;
}

function createAddition(message: Message, source: MessageSource, before: string | undefined): MessageOp {
  return { op: 'add', source, message, ...(before !== undefined && { before }) };
}

/** Returns for each message the next existing message: a new message is inserted before it. */
function findNextKnown(kept: readonly Message[], known: ReadonlyMap<string, string>): (string | undefined)[] {
  let next: string | undefined;
  const fromTheEnd = kept.toReversed().map(({ id }) => {
    const its = next;
    if (known.has(id)) next = id;
    return its;
  });
  return fromTheEnd.toReversed();
}
