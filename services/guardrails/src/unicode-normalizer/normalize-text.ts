// Text as it reads: NFKC, without the characters that nobody sees and a model still reads. Emoji are kept whole where that is
// wanted: their joiners and variation selectors are invisible characters too, and NFKC would turn some of them into letters.
export type NormalizeOptions = {
  stripControlChars: boolean;
  preserveEmojis: boolean;
  collapseWhitespace: boolean;
  trim: boolean;
};

/** What is shown as one emoji; also sequences with joiners that no recommendation lists, or without their selectors. */
const emoji =
  /\p{RGI_Emoji}|\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?\ufe0f?(?:\u200d\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}]?\ufe0f?)+|\p{Extended_Pictographic}\ufe0f/gv;
/** Zero-width, joiners, bidirectional marks and isolates, variation selectors, tag characters, fillers. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;
/** Not by that property: interlinear annotation, and the object replacement character. */
const annotation = /[\ufff9-\ufffc]/g;
const control = /(?![\n\t])\p{Cc}/gu;

export function normalizeText(text: string, options: NormalizeOptions): string {
  const visible = options.preserveEmojis ? aroundEmoji(text, plain) : plain(text);
  const kept = options.stripControlChars ? lineBreaks(visible).replace(control, '') : visible;
  const collapsed = options.collapseWhitespace ? collapse(kept) : kept;
  return options.trim ? collapsed.trim() : collapsed;
}

const plain = (text: string): string =>
  text.replace(invisible, '').replace(annotation, '').normalize('NFKC').replace(invisible, '');

function aroundEmoji(text: string, map: (text: string) => string): string {
  let result = '';
  let from = 0;
  for (const match of text.matchAll(emoji)) {
    result += map(text.slice(from, match.index)) + match[0];
    from = match.index + match[0].length;
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
