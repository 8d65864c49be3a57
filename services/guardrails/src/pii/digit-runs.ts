// Numbers as people write them: groups of digits with at most a few separators between them. Cards, social security numbers and
// phone numbers are all windows of such a run.
export type DigitGroup = {
  digits: string;
  start: number;
  end: number;
  /** what stands between it and the group before */ gap: string;
};
export type DigitRun = {
  groups: DigitGroup[];
  /** '+', '00' or '(' before the first group */ lead: string;
  start: number;
};

/** The longest separator inside a number: "** | **". */
export const MAX_GAP = 8;
const closeGap = /^(?:[ ]{1,2}|[ ]?[-./)(]{1,2}[ ]?[(]?[ ]?)$/;
/** Lines, members of a list, columns, emphasis. Not what ends an object or a list. */
const looseGap = /^[\s,;|_.*~'"`\\/()+-]{1,8}$/;
const digitGroup = /\d+/g;
/** Of a script that parts words by spaces: in others a number stands between letters as it is. */
const word = /(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])\p{L}/u;

/** Close: as one number is written. Loose: with anything between that is no word. */
export function digitRuns(text: string, gaps: 'close' | 'loose'): DigitRun[] {
  const shape = gaps === 'close' ? closeGap : looseGap;
  const runs: DigitRun[] = [];
  let last: DigitRun | undefined;
  let end = 0;
  for (const match of text.matchAll(digitGroup)) {
    const start = match.index;
    const group = { digits: match[0], start, end: start + match[0].length, gap: '' };
    const gap = last && start - end <= MAX_GAP ? text.slice(end, start) : '';
    if (last && shape.test(gap)) last.groups.push({ ...group, gap });
    else runs.push((last = { groups: [group], ...leadBefore(text, start) }));
    end = group.end;
  }
  return runs;
}

function leadBefore(text: string, at: number): { lead: string; start: number } {
  let start = at;
  while (start > 0 && at - start < 2 && '+('.includes(text.charAt(start - 1))) start -= 1;
  return { lead: text.slice(start, at), start };
}

/** Whether letters touch the stretch: then it is part of a word, a hash, a version, a unit. */
export function touchesLetters(text: string, start: number, end: number): boolean {
  return word.test(text.charAt(start - 1)) || word.test(text.charAt(end));
}

export const digitsOf = (groups: readonly DigitGroup[]): string => groups.map((group) => group.digits).join('');
