// Normalizes text to NFKC and removes characters that are invisible to people but not to a model. If emoji are
// preserved, each one stays whole: their joiners and variation selectors are invisible characters too, and NFKC turns
// some emoji into letters.
import { BOUNDS, BoundExceeded } from '../../work/bounds.ts';
import { defineTask, type PrepareJudge } from '../../work/define-task.ts';

export type NormalizeOptions = {
  stripControlChars: boolean;
  preserveEmojis: boolean;
  collapseWhitespace: boolean;
  trim: boolean;
};

/** Sequences that are displayed as one emoji, including sequences with unlisted joiners or without selectors. */
const emoji =
  /\p{RGI_Emoji}|\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?\ufe0f?(?:\u200d\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?\ufe0f?)+|\p{Extended_Pictographic}\ufe0f/vy;
/** Possible starts of an emoji. The full pattern costs a microsecond at each place that it is tried. */
const mayBeEmoji = /[#*0-9]\ufe0f?\u20e3|[\p{Extended_Pictographic}\p{Regional_Indicator}\u{1f3fb}-\u{1f3ff}]/gu;
/** Zero-width, joiners, bidirectional marks and isolates, variation selectors, tag characters, fillers. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;
/** Interlinear annotation and the object replacement character, which the property above excludes. */
const annotation = /[\ufff9-\ufffc]/g;
const control = /(?![\n\t])\p{Cc}/gu;

const prepareNormalizing: PrepareJudge<NormalizeOptions, string> = (options) => (texts) =>
  texts.map((text) => normalizeText(text, options));

export const normalizingTask = defineTask(import.meta.url, prepareNormalizing);

export function normalizeText(text: string, options: NormalizeOptions): string {
  const visible = options.preserveEmojis ? keepEmojiJoiners(text, toPlain) : toPlain(text);
  const kept = options.stripControlChars ? unifyLineBreaks(visible).replace(control, '') : visible;
  const collapsed = options.collapseWhitespace ? collapseSpaces(kept) : kept;
  return options.trim ? collapsed.trim() : collapsed;
}

function toPlain(text: string): string {
  const visible = text.replace(invisible, '').replace(annotation, '');
  limitMarks(visible);
  return visible.normalize('NFKC').replace(invisible, '');
}

const marks = /\p{M}+/gu;

/** Rejects long runs of marks, because normalizing sorts each run in quadratic time. @throws BoundExceeded */
function limitMarks(text: string): void {
  for (const { 0: run } of text.matchAll(marks)) if (run.length > BOUNDS.marks) throw new BoundExceeded('marks');
}

function keepEmojiJoiners(text: string, map: (text: string) => string): string {
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

const unifyLineBreaks = (text: string): string => text.replace(/\r\n?|\u0085|[\u2028\u2029]/g, '\n');

/** Replaces spaces and tabs by one space, and allows at most one empty line. */
function collapseSpaces(text: string): string {
  return unifyLineBreaks(text)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n');
}
