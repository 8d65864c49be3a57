// Finds the sentence of a place: sentences, list items, headings, table cells and paragraphs of markup.
/** Punctuation before white space, full stops of scripts without spaces, empty lines, list items, and tags of blocks. */
const end =
  /[.!?;\u061f\u06d4\u0964]["'\u201d\u2019)\]]{0,2}(?=\s)|[\u3002\uff01\uff1f]|\n[ \t\r]*\n|\n(?=[ \t]*(?:[-*#>|=+]|\d+[.)])\s)|<\/?(?:p|div|li|td|th|tr|h[1-6]|br|pre|dt|dd|ul|ol|table|span)\b[^<>]{0,200}>/gi;
/** Minimum letters and digits of a sentence, so that a mark after every word ends nothing. */
const written = /[\p{L}\p{N}](?:[^\p{L}\p{N}]*[\p{L}\p{N}]){7}/u;
/** Maximum length of a sentence in code units, because a table or a program may have no marks. */
const MAX_SENTENCE = 400;

/** Returns a function from a place to the number of its sentence. */
export function createSentenceFinder(text: string): (place: number) => number {
  const ends = listSentenceEnds(text);
  return (place) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ends[middle] ?? 0) <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** Returns ascending places. */
function listSentenceEnds(text: string): number[] {
  const ends: number[] = [];
  let from = 0;
  for (const { index, 0: mark } of text.matchAll(end)) {
    from = splitLong(ends, from, index);
    if (!written.test(text.slice(from, index))) continue;
    from = index + mark.length;
    ends.push(from);
  }
  splitLong(ends, from, text.length);
  return ends;
}

/** Adds an end after each MAX_SENTENCE code units, and returns the start of the rest. */
function splitLong(ends: number[], from: number, to: number): number {
  let start = from;
  for (; to - start > MAX_SENTENCE; start += MAX_SENTENCE) ends.push(start + MAX_SENTENCE);
  return start;
}
