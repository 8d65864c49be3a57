// Finds written numbers: groups of digits with a few separators between them. Cards, social security numbers and phone
// numbers are windows of such a run.
export type DigitGroup = {
  digits: string;
  start: number;
  end: number;
  /** Text between this group and the preceding one. */ gap: string;
};
export type DigitRun = {
  groups: DigitGroup[];
  /** '+', '00' or '(' before the first group */ lead: string;
  start: number;
};

/** Maximum length of a separator inside a number: "** | **". */
export const MAX_GAP = 8;
const closeGap = /^(?:[ ]{1,2}|[ ]?[-./)(]{1,2}[ ]?[(]?[ ]?)$/;
/** Lines, members of a list, columns, emphasis; not the end of an object or a list. */
const looseGap = /^[\s,;|_.*~'"`\\/()+-]{1,8}$/;
const digitGroup = /\d+/g;
/** A letter of a script with spaces between words. In other scripts a number may touch letters. */
const word = /(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])\p{L}/u;

/**
 * Finds runs of digit groups. close: with the separators of one number. loose: with any separators other than words.
 */
export function findDigitRuns(text: string, gaps: 'close' | 'loose'): DigitRun[] {
  const shape = gaps === 'close' ? closeGap : looseGap;
  const runs: DigitRun[] = [];
  let last: DigitRun | undefined;
  let end = 0;
  for (const match of text.matchAll(digitGroup)) {
    const start = match.index;
    const group = { digits: match[0], start, end: start + match[0].length, gap: '' };
    const gap = last && start - end <= MAX_GAP ? text.slice(end, start) : '';
    if (last && shape.test(gap)) last.groups.push({ ...group, gap });
    else runs.push((last = { groups: [group], ...readLead(text, start) }));
    end = group.end;
  }
  return runs;
}

function readLead(text: string, at: number): { lead: string; start: number } {
  let start = at;
  while (start > 0 && at - start < 2 && '+('.includes(text.charAt(start - 1))) start -= 1;
  return { lead: text.slice(start, at), start };
}

/** Returns whether letters touch the span: then it is part of a word, a hash, a version or a unit. */
export function isNextToLetters(text: string, start: number, end: number): boolean {
  return word.test(text.charAt(start - 1)) || word.test(text.charAt(end));
}

export const joinDigits = (groups: readonly DigitGroup[]): string => groups.map((group) => group.digits).join('');
