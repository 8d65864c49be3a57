// Normalizes text to NFC and removes characters that are invisible to people but not to a model. A joiner stays where
// its script needs it. If emoji are preserved, each one stays whole: their joiners and variation selectors are invisible
// characters too, and NFKC turns some emoji into letters.
import { BOUNDS, BoundExceeded } from '../../work/bounds.ts';
import { defineTask, type PrepareJudge } from '../../work/define-task.ts';

export type NormalizeOptions = {
  stripControlChars: boolean;
  preserveEmojis: boolean;
  compatibility: boolean;
  collapseWhitespace: boolean;
  trim: boolean;
};

/** Sequences that are displayed as one emoji, including sequences with unlisted joiners or without selectors. */
const emoji =
  /\p{RGI_Emoji}|\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?\ufe0f?(?:\u200d\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?\ufe0f?)+|\p{Extended_Pictographic}[\ufe0e\ufe0f]/vy;
/** Possible starts of an emoji. The full pattern costs a microsecond at each place that it is tried. */
const mayBeEmoji = /[#*0-9]\ufe0f?\u20e3|[\p{Extended_Pictographic}\p{Regional_Indicator}\u{1f3fb}-\u{1f3ff}]/gu;
/** Zero-width, joiners, bidirectional marks and isolates, variation selectors, tag characters, fillers. */
const invisible = /\p{Default_Ignorable_Code_Point}/u;
/**
 * The invisible characters that no script needs at their place. A joiner has a use after a letter of a script that joins
 * or stacks letters, a space without width between words of a script that writes no spaces, a selector after a
 * Mongolian letter; a second one in a row has none.
 */
const hidden = new RegExp(
  [
    String.raw`(?<![${listScripts('Arab Syrc Mand Nkoo Mong Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Tibt Mymr Khmr')}]\p{Mn}{0,3})[\u200c\u200d]`,
    String.raw`(?<![${listScripts('Thai Laoo Khmr Mymr')}])\u200b`,
    String.raw`(?<![\u1820-\u18aa])[\u180b-\u180f]`,
    String.raw`(?![\u200b-\u200d\u180b-\u180f])\p{Default_Ignorable_Code_Point}`,
  ].join('|'),
  'gu',
);

function listScripts(codes: string): string {
  return codes
    .split(' ')
    .map((code) => String.raw`\p{sc=${code}}`)
    .join('');
}

/** Interlinear annotations, which the property above excludes. */
const annotation = /[\ufff9-\ufffb]/g;
/** Control characters that are no white space. */
// oxlint-disable-next-line no-control-regex -- the pattern is for control characters
const control = /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f]/g;

const prepareNormalizing: PrepareJudge<NormalizeOptions, string> = (options) => (texts) =>
  texts.map((text) => normalizeText(text, options));

export const normalizingTask = defineTask(import.meta.url, prepareNormalizing);

export function normalizeText(text: string, options: NormalizeOptions): string {
  const shown = options.stripControlChars ? text.replace(control, '') : text;
  const toForm = (part: string) => toPlain(part, options.compatibility ? 'NFKC' : 'NFC');
  const kept = options.preserveEmojis ? keepEmoji(shown, toForm) : toForm(shown);
  const collapsed = options.collapseWhitespace ? collapseSpaces(kept) : kept;
  return options.trim ? collapsed.trim() : collapsed;
}

function toPlain(text: string, form: 'NFC' | 'NFKC'): string {
  const visible = removeHidden(text.replace(annotation, ''));
  limitMarks(visible);
  return removeHidden(visible.normalize(form));
}

const removeHidden = (text: string): string => (invisible.test(text) ? text.replace(hidden, '') : text);

const marks = /\p{M}+/gu;

/** Rejects long runs of marks, because normalizing sorts each run in quadratic time. @throws BoundExceeded */
function limitMarks(text: string): void {
  for (const { 0: run } of text.matchAll(marks)) if (run.length > BOUNDS.marks) throw new BoundExceeded('marks');
}

function keepEmoji(text: string, map: (text: string) => string): string {
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

/** Replaces spaces and tabs by one space, and allows at most one empty line. */
function collapseSpaces(text: string): string {
  return text
    .replace(/\r\n?|\u0085|[\u2028\u2029]/g, '\n')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n');
}
