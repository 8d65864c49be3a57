// Where the sentences of a streamed text end, as far as what has come can say: the last one is never decided before the next one begins,
// its part ends, or it is too long to be waited for.

/** A sentence that does not end is let go when it is longer than this, UTF-16 code units. */
export const MAX_SENTENCE_CHARS = 1_000;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
/** Without one of these no sentence ends: most pieces of a text are not worth the segmenter's work. */
const MAY_END = /[\p{Sentence_Terminal}\r\n\u0085\u2028\u2029]/u;

/** How many characters at the beginning of the undecided text are whole sentences. */
export function wholeSentences(undecided: string): number {
  const last = MAY_END.test(undecided) ? lastBegin(undecided) : 0;
  return undecided.length - last > MAX_SENTENCE_CHARS ? undecided.length : last;
}

function lastBegin(text: string): number {
  let begin = 0;
  for (const { index } of segmenter.segment(text)) begin = index;
  return begin;
}
