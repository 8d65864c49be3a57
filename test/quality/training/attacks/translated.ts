// The same attacks in other languages, from the words of the rules: verb, scope and object in the orders of each
// language.
import type { Lists, Family } from '../grammar.ts';
import { readLexicons } from '../guard-files.ts';

/** Names of the harmless sentences of each language or family of languages, with the lexicons of its words. */
const LEXICONS: Readonly<Record<string, readonly string[]>> = {
  de: ['german'],
  fr: ['french'],
  es: ['spanish'],
  it: ['italian'],
  pt: ['portuguese'],
  nl: ['dutch'],
  nordic: ['swedish', 'norwegian', 'danish', 'finnish'],
  romanian: ['romanian', 'catalan'],
  russian: ['russian', 'ukrainian', 'bulgarian'],
  polish: ['polish', 'czech', 'slovak'],
  greek: ['greek'],
  hungarian: ['hungarian'],
  turkish: ['turkish'],
  chinese: ['chinese'],
  japanese: ['japanese'],
  korean: ['korean'],
  arabic: ['arabic', 'persian', 'urdu'],
  hebrew: ['hebrew'],
};
const WITHOUT_SPACES = new Set(['chinese', 'japanese']);
const languages = Object.entries(LEXICONS).map(([language, names]) => [language, readLexicons(names)] as const);

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

export const translateLists = (): Lists =>
  Object.fromEntries(
    languages.flatMap(([language, vocabulary]) =>
      CLASSES.map((name) => [`${language}-${name}`, vocabulary[name] ?? []] as const).filter(
        ([, list]) => list.length > 0,
      ),
    ),
  );

const known = translateLists();

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
