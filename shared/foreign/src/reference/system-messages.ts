// System messages as the reference has them: tagged ones belong to who added them, the others may be replaced by whoever returns some. Ours
// all have a tag; those that are nobody's own count as untagged.
import { CALLER_TAG, INSTRUCTIONS_TAG, RETURNED_SYSTEM_TAG } from '@millrace/contracts';
import type { MessageList } from '@millrace/processor';
import { systemTextOf } from './foreign-messages.ts';

export type ForeignSystemMessage = { role: 'system'; content: string };

/** The agent's own, the caller's, and what processors have returned without a tag. */
const UNTAGGED: readonly string[] = [INSTRUCTIONS_TAG, CALLER_TAG, RETURNED_SYSTEM_TAG];

const foreign = ({ content }: { content: string }): ForeignSystemMessage => ({ role: 'system', content });

export const allSystem = (list: MessageList): ForeignSystemMessage[] => list.getAllSystemMessages().map(foreign);
export const taggedSystem = (list: MessageList, tag: string): ForeignSystemMessage[] =>
  list.getSystemMessages(tag).map(foreign);
export const untaggedSystem = (list: MessageList): ForeignSystemMessage[] => untagged(list).map(foreign);
const untagged = (list: MessageList) => list.getAllSystemMessages().filter(({ tag }) => UNTAGGED.includes(tag));

/** What is there under the tag already is not added again. */
export function addSystem(list: MessageList, given: unknown, tag: string = RETURNED_SYSTEM_TAG): void {
  for (const one of Array.isArray(given) ? given : [given]) {
    const content = systemTextOf(one);
    const there = UNTAGGED.includes(tag) ? untagged(list) : list.getSystemMessages(tag);
    if (!there.some((message) => message.content === content)) list.addSystem(content, tag);
  }
}

export function clearSystem(list: MessageList, tag: string | undefined): void {
  if (tag !== undefined) list.setSystem(tag, []);
  else replaceUntagged(list, []);
}

/**
 * Replaces the untagged ones. A text that was there keeps its tag; where there are as many as before, each keeps that of its place: it was
 * edited.
 */
export function replaceUntagged(list: MessageList, returned: readonly unknown[]): void {
  const before = untagged(list);
  const texts = returned.map(systemTextOf);
  const left = [...before];
  const tagOf = (content: string, at: number): string => {
    const edited = texts.length === before.length ? before[at]?.tag : undefined;
    const same = left.findIndex((message) => message.content === content);
    const [kept] = same < 0 ? [] : left.splice(same, 1);
    return kept?.tag ?? edited ?? RETURNED_SYSTEM_TAG;
  };
  const after = texts.map((content, at) => ({ content, tag: tagOf(content, at) }));
  for (const tag of UNTAGGED) {
    const contents = (messages: readonly { tag: string; content: string }[]) =>
      messages.filter((message) => message.tag === tag).map(({ content }) => content);
    const [was, is] = [contents(before), contents(after)];
    if (JSON.stringify(was) !== JSON.stringify(is)) list.setSystem(tag, is);
  }
}
