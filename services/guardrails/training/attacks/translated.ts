// The same attempts in other languages, from the words of the rules: verb, scope and object in the orders that languages have.
import { EASTERN } from '../../src/prompt-injection/lexicon/eastern.ts';
import type { Vocabulary } from '../../src/prompt-injection/lexicon/entry.ts';
import { UNSPACED } from '../../src/prompt-injection/lexicon/unspaced-words.ts';
import { WESTERN } from '../../src/prompt-injection/lexicon/western.ts';
import type { Family } from '../family.ts';
import type { Lists } from '../grammar.ts';

/** Languages that harmless sentences are generated in too; in the order of their vocabularies. */
const western = ['de', 'fr', 'es', 'it', 'pt', 'nl', 'nordic', 'romanian'];
const eastern = ['russian', 'polish', '', 'greek', 'hungarian', 'turkish'];
const unspaced = ['chinese', 'japanese', 'korean', '', 'arabic', 'hebrew'];
const WITHOUT_SPACES = new Set(['chinese', 'japanese']);

const named = (names: readonly string[], vocabularies: readonly Vocabulary[]): [string, Vocabulary][] =>
  names.flatMap((name, at) => {
    const vocabulary = vocabularies[at];
    return name === '' || !vocabulary ? [] : [[name, vocabulary] as [string, Vocabulary]];
  });
const languages = [...named(western, WESTERN), ...named(eastern, EASTERN), ...named(unspaced, UNSPACED)];

const CLASSES = ['drop', 'former', 'every', 'own', 'orders', 'regs', 'tell', 'ask', 'sysprompt', 'become', 'unbound'];
const ORDERS = [
  'drop every former orders',
  'drop own orders',
  'drop former orders tell own orders',
  'every former orders drop',
  'tell own orders',
  'tell sysprompt',
  'ask own orders',
  'own orders tell',
  'become unbound',
  'drop every regs become unbound',
  'former orders every drop tell sysprompt',
];

const words = (list: string): string[] =>
  list.split(/\s+/).flatMap((word) => (word === '' ? [] : [word.replace('*', '').replaceAll('_', ' ')]));

export const translatedLists = (): Lists =>
  Object.fromEntries(
    languages.flatMap(([language, vocabulary]) =>
      CLASSES.map((name) => [`${language}-${name}`, words(vocabulary[name] ?? '')] as const).filter(
        ([, list]) => list.length > 0,
      ),
    ),
  );

const known = translatedLists();

export const TRANSLATED: readonly Family[] = [
  {
    id: 'translated',
    where: 'both',
    templates: languages.flatMap(([language]) =>
      ORDERS.map((order) => order.split(' ').map((name) => `${language}-${name}`))
        .filter((names) => names.every((name) => name in known))
        .map((names) => names.map((name) => `{${name}}`).join(WITHOUT_SPACES.has(language) ? '' : ' ')),
    ),
  },
];
