// System messages come in groups by tag. What changed between two states of them, as operations. Pure.
import type { MessageOp, SystemMessage } from '@millrace/contracts';

/** The operations that make the groups of `after` out of those of `before`, but for their places. */
export function changedGroups(before: readonly SystemMessage[], after: readonly SystemMessage[]): MessageOp[] {
  const tags = [...new Set([...before, ...after].map(({ tag }) => tag))];
  return tags.flatMap((tag): MessageOp[] => {
    const contents = contentsOf(after, tag);
    const isSame = JSON.stringify(contents) === JSON.stringify(contentsOf(before, tag));
    return isSame ? [] : [{ op: 'system', tag, contents }];
  });
}

function contentsOf(system: readonly SystemMessage[], tag: string): string[] {
  return system.filter((message) => message.tag === tag).map(({ content }) => content);
}
