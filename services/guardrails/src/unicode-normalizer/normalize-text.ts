// Text as it reads: NFKC, without the characters that nobody sees and a model still reads. Emoji are kept whole where that is
// wanted: their joiners and variation selectors are invisible characters too, and NFKC would turn some of them into letters.
import { BOUNDS, BoundExceeded } from '../guard/bounds.ts';
import type { PrepareJudge } from '../work/task-outcome.ts';

export type NormalizeOptions = {
  stripControlChars: boolean;
  preserveEmojis: boolean;
  collapseWhitespace: boolean;
  trim: boolean;
};

/** What is shown as one emoji; also sequences with joiners that no recommendation lists, or without their selectors. */
const emoji =
  /\p{RGI_Emoji}|\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?\ufe0f?(?:\u200d\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?\ufe0f?)+|\p{Extended_Pictographic}\ufe0f/vy;
/** Where one may begin. The pattern above costs a microsecond at every place where it is tried. */
const mayBeEmoji = /[#*0-9]\ufe0f?\u20e3|[\p{Extended_Pictographic}\p{Regional_Indicator}\u{1f3fb}-\u{1f3ff}]/gu;
/** Zero-width, joiners, bidirectional marks and isolates, variation selectors, tag characters, fillers. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;
/** Not by that property: interlinear annotation, and the object replacement character. */
const annotation = /[\ufff9-\ufffc]/g;
const control = /(?![\n\t])\p{Cc}/gu;

export const prepareNormalizing: PrepareJudge<NormalizeOptions, string> = (options) => (texts) =>
  texts.map((text) => normalizeText(text, options));

export function normalizeText(text: string, options: NormalizeOptions): string {
  const visible = options.preserveEmojis ? aroundEmoji(text, plain) : plain(text);
  const kept = options.stripControlChars ? lineBreaks(visible).replace(control, '') : visible;
  const collapsed = options.collapseWhitespace ? collapse(kept) : kept;
  return options.trim ? collapsed.trim() : collapsed;
}

function plain(text: string): string {
  const visible = text.replace(invisible, '').replace(annotation, '');
  boundMarks(visible);
  return visible.normalize('NFKC').replace(invisible, '');
}

const marks = /\p{M}+/gu;

/** Normalizing sorts a run of marks in quadratic time. @throws BoundExceeded */
function boundMarks(text: string): void {
  for (const { 0: run } of text.matchAll(marks)) if (run.length > BOUNDS.marks) throw new BoundExceeded('marks');
}

function aroundEmoji(text: string, map: (text: string) => string): string {
  let result = '';
  let from = 0;
  for (const { index } of text.matchAll(mayBeEmoji)) {
    if (index < from) continue;
    emoji.lastIndex = index;
    const found = emoji.exec(text)?.[0];
    if (found === undefined) continue;
    result += map(text.slice(from, index)) + found;
    from = index + found.length;
  }
  return result + map(text.slice(from));
}

const lineBreaks = (text: string): string => text.replace(/\r\n?|\u0085|[\u2028\u2029]/g, '\n');

/** One space for spaces and tabs, at most one empty line. */
function collapse(text: string): string {
  return lineBreaks(text)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n');
}
