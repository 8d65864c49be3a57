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

/** The longest separator inside a number: ") - ". */
const MAX_GAP = 4;
const gapShape = /^(?:[ ]{1,2}|[ ]?[-./)(]{1,2}[ ]?[(]?[ ]?)$/;
const digitGroup = /\d+/g;
const word = /[A-Za-z]/;

export function digitRuns(text: string): DigitRun[] {
  const runs: DigitRun[] = [];
  let end = -1;
  for (const match of text.matchAll(digitGroup)) {
    const group = { digits: match[0], start: match.index, end: match.index + match[0].length, gap: '' };
    const gap = end < 0 ? undefined : text.slice(end, group.start);
    const last = runs.at(-1);
    if (last && gap !== undefined && gap.length <= MAX_GAP && gapShape.test(gap)) last.groups.push({ ...group, gap });
    else runs.push({ groups: [group], ...leadBefore(text, group.start) });
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
