// The words of a text as they are compared: letters and digits, lower case, without accents and what cannot be seen. In scripts
// without spaces every character is a word. Where a word ends depends on nothing before its start.
import { unitAt } from '../segments/unit-at.ts';

export type PlainWord = { text: string; start: number; end: number };

/** Longer ones go on in the next, code units. */
const MAX_WORD = 64;
const MAX_GAP = 64;
/** No word is this. */
export const GAP = '\n';
const inWord = /^[\p{L}\p{N}]+$/u;
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const accents = /\p{M}/gu;
// oxlint-disable-next-line no-control-regex -- the range of ASCII begins with control characters
const beyondAscii = /[^\x00-\x7f]/;
const apostrophe = /^['’]$/;

/**
 * The words from `from` on; one that the text's end may cut is not there unless the text is whole. A long gap is a word that
 * equals none, so that nothing waits for what may come behind it.
 */
export function* plainWords(text: string, from: number, isWhole: boolean): Generator<PlainWord> {
  let word: PlainWord | undefined;
  let gapAt = from;
  for (let at = from; at < text.length;) {
    const unit = unitAt(text, at, isWhole);
    if (!unit) return;
    const end = at + unit.length;
    const isJoined = unit.plain === '' || (word !== undefined && apostrophe.test(unit.plain));
    const isWord = !isJoined && inWord.test(unit.plain);
    const isAlone = isWord && unspaced.test(unit.plain);
    if (word && ((!isJoined && !isWord) || isAlone || end - word.start > MAX_WORD)) {
      yield compared(word);
      gapAt = word.end;
      word = undefined;
    }
    if (isWord) word = { text: (word?.text ?? '') + unit.plain, start: word?.start ?? at, end };
    if (word && isAlone) {
      yield compared(word);
      gapAt = end;
      word = undefined;
    }
    at = end;
    if (word || at - gapAt <= MAX_GAP) continue;
    yield { text: GAP, start: gapAt, end: at };
    gapAt = at;
  }
  if (isWhole && word) yield compared(word);
}

function compared(word: PlainWord): PlainWord {
  const lower = word.text.toLowerCase();
  return { ...word, text: beyondAscii.test(lower) ? lower.normalize('NFD').replace(accents, '') : lower };
}
