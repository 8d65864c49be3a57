// Matches the words of two texts, to show only the words of a text that another text still has. Pure. Text without a match is
// masked: if the texts are too long to compare, that is everything between their common ends.
import type { ChangedSegment } from '@millrace/contracts';

/** Cells of one comparison, after the common ends are removed: a millisecond of processor time. */
const MAX_CELLS = 400_000;

/** A word, the comma behind it, or the white space between two. */
export const splitWords = (text: string): string[] => text.match(/\s+|,(?=\s|$)|(?:(?!,(?:\s|$))\S)+/g) ?? [];

/** Returns the index in `after` of each word of `before` that `after` has in the same order. */
export function matchWords(before: readonly string[], after: readonly string[]): ReadonlyMap<number, number> {
  const matches = new Map<number, number>();
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) matches.set(start, start++);
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) {
    end += 1;
    matches.set(before.length - end, after.length - end);
  }
  const inner = { before: before.slice(start, before.length - end), after: after.slice(start, after.length - end) };
  if (inner.before.length * inner.after.length > MAX_CELLS) return matches;
  for (const [at, to] of findLongestCommon(inner.before, inner.after)) matches.set(start + at, start + to);
  return matches;
}

/** The longest common subsequence, by dynamic programming from the ends. */
function findLongestCommon(one: readonly string[], other: readonly string[]): [number, number][] {
  const width = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  const read = (at: number, to: number) => lengths[at * width + to] ?? 0;
  for (let at = one.length - 1; at >= 0; at -= 1)
    for (let to = other.length - 1; to >= 0; to -= 1)
      lengths[at * width + to] =
        one[at] === other[to] ? read(at + 1, to + 1) + 1 : Math.max(read(at + 1, to), read(at, to + 1));
  const pairs: [number, number][] = [];
  for (let at = 0, to = 0; at < one.length && to < other.length;) {
    if (one[at] === other[to]) pairs.push([at++, to++]);
    else if (read(at + 1, to) >= read(at, to + 1)) at += 1;
    else to += 1;
  }
  return pairs;
}

/** Joins shown and masked words. White space between two masked words is masked, too. */
export function toSegments(words: readonly string[], isShown: (at: number) => boolean): ChangedSegment[] {
  const segments: ChangedSegment[] = [];
  const isMaskedAround = (at: number) => /^\s/.test(words[at] ?? '') && at > 0 && !isShown(at - 1) && !isShown(at + 1);
  for (const [at, word] of words.entries()) {
    const last = segments.at(-1);
    if (isShown(at) && !isMaskedAround(at)) {
      if (last && 'text' in last) last.text += word;
      else segments.push({ text: word });
    } else if (last && 'masked' in last) last.masked += word.length;
    else segments.push({ masked: word.length });
  }
  return segments;
}
