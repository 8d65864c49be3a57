// Turns the notation of phrase-groups.ts into regular expressions over a word view, where a space stands after every word.
import type { PhraseGroup } from './phrase-groups.ts';

const token = /\(([^)]*)\)(\?)?|<(\w+)>(\?)?|\.\.|\S+/g;
const GAP_WORDS = 3;

/** @throws when the phrase names a list that is not there */
function compilePhrase(phrase: string, lists: Record<string, string>): string {
  return [...phrase.matchAll(token)]
    .map(([word, choices, choicesOptional, list, listOptional]) => {
      if (word === '..') return String.raw`(?:\S+ ){0,${GAP_WORDS}}`;
      const part = `(?:${choices ?? (list === undefined ? word : listNamed(list, lists, phrase))}) `;
      return choicesOptional || listOptional ? `(?:${part})?` : part;
    })
    .join('');
}

/** To be matched at the start of a word; captures nothing. */
export function compileGroup({ phrases, notAfter, notBefore }: PhraseGroup, lists: Record<string, string>): string {
  const before = notAfter === undefined ? '' : `(?<! ${compilePhrase(notAfter, lists)})`;
  const after = notBefore === undefined ? '' : `(?!${compilePhrase(notBefore, lists)})`;
  return `${before}(?:${phrases.map((phrase) => compilePhrase(phrase, lists)).join('|')})${after}`;
}

function listNamed(name: string, lists: Record<string, string>, phrase: string): string {
  const list = lists[name];
  if (list === undefined) throw new Error(`There is no list <${name}>, which "${phrase}" names.`);
  return list;
}
