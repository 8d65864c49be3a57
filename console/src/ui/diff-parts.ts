// Compares two texts. Of a comparison by lines, unchanged lines far from a change are left out. Pure.
import { diffLines, diffWordsWithSpace } from 'diff';

export type DiffPart = { kind: 'same' | 'added' | 'removed' | 'omitted'; text: string };

/** Longer texts are compared by lines, because a comparison by words grows with the square of the length. */
const MAX_WORD_CHARS = 20_000;
const CONTEXT_LINES = 3;

export function compareTexts(before: string, after: string, by: 'words' | 'lines'): DiffPart[] {
  const isByLines = by === 'lines' || before.length + after.length > MAX_WORD_CHARS;
  const parts = isByLines ? diffLines(before, after) : diffWordsWithSpace(before, after);
  return parts.flatMap(({ value, added, removed }, at): DiffPart[] => {
    if (added) return [{ kind: 'added', text: value }];
    if (removed) return [{ kind: 'removed', text: value }];
    return isByLines ? shorten(value, at === 0, at === parts.length - 1) : [{ kind: 'same', text: value }];
  });
}

/** Keeps the lines next to a change. */
function shorten(text: string, isFirst: boolean, isLast: boolean): DiffPart[] {
  const lines = text.split(/(?<=\n)/);
  const head = isFirst ? 0 : CONTEXT_LINES;
  const tail = isLast ? 0 : CONTEXT_LINES;
  const omitted = lines.length - head - tail;
  if (omitted < 2) return [{ kind: 'same', text }];
  return [
    { kind: 'same' as const, text: lines.slice(0, head).join('') },
    { kind: 'omitted' as const, text: `… ${omitted} unchanged lines\n` },
    { kind: 'same' as const, text: lines.slice(lines.length - tail).join('') },
  ].filter((part) => part.text !== '');
}
