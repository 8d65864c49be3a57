// Maps system messages to the reference's form: tagged ones belong to their author, untagged ones may be replaced by
// any processor. All of ours have a tag; those without an owner count as untagged.
import { CALLER_TAG, INSTRUCTIONS_TAG, RETURNED_SYSTEM_TAG } from '@millrace/contracts';
import type { MessageList } from '@millrace/processor';
import { toSystemText } from './foreign-messages.ts';

export type ForeignSystemMessage = { role: 'system'; content: string };

/** Tags of the agent, of the caller, and of messages that processors returned without a tag. */
const UNTAGGED: readonly string[] = [INSTRUCTIONS_TAG, CALLER_TAG, RETURNED_SYSTEM_TAG];

const toForeign = ({ content }: { content: string }): ForeignSystemMessage => ({ role: 'system', content });

export const listAll = (list: MessageList): ForeignSystemMessage[] => list.getAllSystemMessages().map(toForeign);
export const listTaggedSystem = (list: MessageList, tag: string): ForeignSystemMessage[] =>
  list.getSystemMessages(tag).map(toForeign);
export const listUntaggedSystem = (list: MessageList): ForeignSystemMessage[] => listUntagged(list).map(toForeign);
const listUntagged = (list: MessageList) => list.getAllSystemMessages().filter(({ tag }) => UNTAGGED.includes(tag));

/** Adds only texts that the tag does not contain yet. */
export function addSystem(list: MessageList, given: unknown, tag: string = RETURNED_SYSTEM_TAG): void {
  for (const one of Array.isArray(given) ? given : [given]) {
    const content = toSystemText(one);
    const there = UNTAGGED.includes(tag) ? listUntagged(list) : list.getSystemMessages(tag);
    if (!there.some((message) => message.content === content)) list.addSystem(content, tag);
  }
}

export function clearSystem(list: MessageList, tag: string | undefined): void {
  if (tag !== undefined) list.setSystem(tag, []);
  else replaceUntagged(list, []);
}

/**
 * Replaces the untagged messages. An existing text keeps its tag; with an unchanged number of messages each keeps the
 * tag of its position: it was edited.
 */
export function replaceUntagged(list: MessageList, returned: readonly unknown[]): void {
  const before = listUntagged(list);
  const texts = returned.map(toSystemText);
  const left = [...before];
  const buildTag = (content: string, at: number): string => {
    const edited = texts.length === before.length ? before[at]?.tag : undefined;
    const same = left.findIndex((message) => message.content === content);
    const [kept] = same < 0 ? [] : left.splice(same, 1);
    return kept?.tag ?? edited ?? RETURNED_SYSTEM_TAG;
  };
  const after = texts.map((content, at) => ({ content, tag: buildTag(content, at) }));
  for (const tag of UNTAGGED) {
    const listContents = (messages: readonly { tag: string; content: string }[]) =>
      messages.filter((message) => message.tag === tag).map(({ content }) => content);
    const [was, is] = [listContents(before), listContents(after)];
    if (JSON.stringify(was) !== JSON.stringify(is)) list.setSystem(tag, is);
  }
}
