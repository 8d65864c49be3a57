// Splits a text into compared words: letters and digits, lower case, without accents and invisible characters. In
// scripts without spaces each character is a word. The end of a word does not depend on text before its start.
import { readUnitAt } from '../../segments/read-unit.ts';

export type PlainWord = { text: string; start: number; end: number };

/** Maximum length of a word, in code units; a longer one continues in the next. */
const MAX_WORD = 64;
const MAX_GAP = 64;
/** A token that equals no word. */
export const GAP = '\n';
const inWord = /^[\p{L}\p{N}]+$/u;
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const accents = /\p{M}/gu;
// oxlint-disable-next-line no-control-regex -- the range of ASCII begins with control characters
const beyondAscii = /[^\x00-\x7f]/;
const apostrophe = /^['’]$/;

/**
 * Yields the words from `from` on. Skips the last word unless the text is whole, because it may continue. A long gap is
 * a token that equals no word, so that the buffer does not wait for the text after it.
 */
export function* splitPlainWords(text: string, from: number, isWhole: boolean): Generator<PlainWord> {
  let word: PlainWord | undefined;
  let gapAt = from;
  for (let at = from; at < text.length;) {
    const unit = readUnitAt(text, at, isWhole);
    if (!unit) return;
    const end = at + unit.length;
    const isJoined = unit.plain === '' || (word !== undefined && apostrophe.test(unit.plain));
    const isWord = !isJoined && inWord.test(unit.plain);
    const isAlone = isWord && unspaced.test(unit.plain);
    if (word && ((!isJoined && !isWord) || isAlone || end - word.start > MAX_WORD)) {
      yield normalizeWord(word);
      gapAt = word.end;
      word = undefined;
    }
    if (isWord) word = { text: (word?.text ?? '') + unit.plain, start: word?.start ?? at, end };
    if (word && isAlone) {
      yield normalizeWord(word);
      gapAt = end;
      word = undefined;
    }
    at = end;
    if (word || at - gapAt <= MAX_GAP) continue;
    yield { text: GAP, start: gapAt, end: at };
    gapAt = at;
  }
  if (isWhole && word) yield normalizeWord(word);
}

function normalizeWord(word: PlainWord): PlainWord {
  const lower = word.text.toLowerCase();
  return { ...word, text: beyondAscii.test(lower) ? lower.normalize('NFD').replace(accents, '') : lower };
}
