// Turns the notation of phrase-groups.ts into one regular expression over a word view: every word in it is followed by a space.
import type { PhraseGroup } from './phrase-groups.ts';

const token = /\(([^)]*)\)(\?)?|<(\w+)>(\?)?|\.\.|\S+/g;
const GAP_WORDS = 3;

/** Matches at the start of a word. @throws when a phrase names a list that is not there */
export function compilePhrase(phrase: string, lists: Record<string, string>): string {
  return [...phrase.matchAll(token)]
    .map(([word, group, groupOptional, list, listOptional]) => {
      if (word === '..') return String.raw`(?:\S+ ){0,${GAP_WORDS}}`;
      const choices = group ?? (list === undefined ? word : listNamed(list, lists, phrase));
      const part = `(?:${choices}) `;
      return groupOptional || listOptional ? `(?:${part})?` : part;
    })
    .join('');
}

function listNamed(name: string, lists: Record<string, string>, phrase: string): string {
  const list = lists[name];
  if (list === undefined) throw new Error(`There is no list <${name}>, which "${phrase}" names.`);
  return list;
}

export type CompiledGroup = { id: string; source: string };

export function compileGroup({ id, phrases, notAfter, notBefore }: PhraseGroup, lists: Record<string, string>): CompiledGroup {
  const before = notAfter === undefined ? '' : `(?<! ${notAfter} )`;
  const behind = notBefore === undefined ? '' : `(?!${notBefore} )`;
  const choices = phrases.map((phrase) => compilePhrase(phrase, lists)).join('|');
  return { id, source: `(?<= )${before}(?:${choices})${behind}` };
}
