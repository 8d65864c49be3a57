// Shows the text before and after a change: only the words that the final text still has. Pure.
import type { ChangedSegment } from '@millrace/contracts';
import { matchWords, splitWords, toSegments } from './match-words.ts';

type ShownChange = { before: string; after: string };

/** Longer texts are masked as a whole, UTF-16 code units. */
const MAX_SHOWN_CHARS = 16 * 1024;

/** @param final the text at the end of the run; undefined: the run has no such text, and everything is masked */
export function showChange(
  { before, after }: ShownChange,
  final: string | undefined,
): { before: ChangedSegment[]; after: ChangedSegment[] } {
  if (final === undefined || [before, after, final].some(({ length }) => length > MAX_SHOWN_CHARS))
    return { before: maskAll(before), after: maskAll(after) };
  const [own, next, last] = [splitWords(before), splitWords(after), splitWords(final)];
  const kept = matchWords(own, next);
  const later = matchWords(next, last);
  return {
    before: toSegments(own, (at) => later.has(kept.get(at) ?? -1)),
    after: toSegments(next, (at) => later.has(at)),
  };
}

/** Masks a text as a whole. */
export const maskAll = ({ length }: string): ChangedSegment[] => (length === 0 ? [] : [{ masked: length }]);
