// What plain statements say of the one who makes them: "My name is Ada", "I live in Oslo", "I like X and Y",
// "my dog's name is Rex". A small table of patterns, read sentence by sentence; questions state nothing.
import { canonicalField } from './field-names.ts';
import { isQuestion, sentencesOf } from './sentences.ts';

export type Fact = {
  /** What it is about, as field-names.ts spells it: "name", "city", "favourite colour". */
  readonly about: string;
  readonly values: readonly string[];
  /** Whether it adds to what was said before ("I like X") or takes its place ("I live in X"). */
  readonly adds: boolean;
};

/** A value ends at punctuation, or where another clause begins. */
const end = String.raw`(?=\s*[;!?"”()]|\s*\.?$|\s*\.\s|,?\s+(?:and|but|so|because|though|while|although)\s+(?:I|I'm|my|we|our|please|what|where|how|call|can|do|it)\b|,\s+(?:but|so|because|what|where|how|please|I)\b)`;
const value = String.raw`(\S.{0,119}?)${end}`;
const scalar = String.raw`([^\s,][^,]{0,79}?)(?:${end}|(?=,))`;

/** A place ends before when and with whom, too. */
const place = String.raw`([^\s,][^,]{0,79}?)(?:${end}|(?=,)|(?=\s+(?:last|this|next|since|for|now|today|again|currently|recently|with|these|where|which)\b))`;

const pattern = (source: string): RegExp => new RegExp(source, 'gi');

type Rule = { readonly about: string; readonly pattern: RegExp; readonly list?: true };

const rules: readonly Rule[] = [
  { about: 'name', pattern: pattern(String.raw`\bcall me\s+(?!back\b|when\b|if\b|at\b|on\b|later\b)${scalar}`) },
  { about: 'city', pattern: pattern(String.raw`\bI(?: now| currently)? live (?:in|at)\s+${place}`) },
  { about: 'city', pattern: pattern(String.raw`\bI(?:'m| am)(?: now| currently)? (?:based|living) in\s+${place}`) },
  { about: 'city', pattern: pattern(String.raw`\bI(?:'ve| have)?(?: just| recently)? moved to\s+${place}`) },
  { about: 'origin', pattern: pattern(String.raw`\bI(?:'m| am| come) (?:originally )?from\s+${place}`) },
  { about: 'employer', pattern: pattern(String.raw`\bI work (?:at|for)\s+${scalar}`) },
  { about: 'occupation', pattern: pattern(String.raw`\bI work as\s+(?:an?\s+)?${scalar}`) },
  {
    about: 'occupation',
    pattern: pattern(
      String.raw`\bI(?:'m| am) an?\s+(?!bit\b|little\b|lot\b|fan\b|big\b|huge\b)([\w-]+(?: [\w-]+)?)${end}`,
    ),
  },
  { about: 'age', pattern: pattern(String.raw`\bI(?:'m| am)\s+(\d{1,3}) years old`) },
  {
    about: 'likes',
    pattern: pattern(
      String.raw`\bI (?:really |also )?(?:like|love|enjoy|prefer)\s+(?!to know\b|to ask\b|you to\b)${value}`,
    ),
    list: true,
  },
  {
    about: 'dislikes',
    pattern: pattern(String.raw`\bI (?:really )?(?:don't like|do not like|dislike|hate)\s+${value}`),
    list: true,
  },
  { about: 'languages', pattern: pattern(String.raw`\bI speak\s+${value}`), list: true },
  { about: 'goals', pattern: pattern(String.raw`\bI (?:want|plan|hope) to\s+(?!know\b|ask\b)${value}`), list: true },
];

const possession = pattern(
  String.raw`\bmy\s+([a-z][\w'-]*(?:\s[\w'-]+){0,3}?)\s*(?:'s| is| are)(?: called)?\s+(?!not\b|that\b)${value}`,
);

/** "Hi, I'm Ada": only after a greeting and with a capital, or "I'm tired" would be somebody's name. */
const introduction =
  /^(?:hi|hello|hey|Hi|Hello|Hey)\b[\s,!.]*(?:there[\s,!.]*)?(?:I am|I'm|this is|This is)\s+(\p{Lu}[\p{L}'-]*(?: \p{Lu}[\p{L}'-]*)?)/u;

const plural = new Set(['likes', 'dislikes', 'languages', 'goals']);

/** The facts that a text states, in its order. */
export function factsIn(text: string): Fact[] {
  return sentencesOf(text)
    .filter((sentence) => !isQuestion(sentence) || /^(?:please )?call me\b/i.test(sentence))
    .flatMap(factsOfSentence);
}

function factsOfSentence(sentence: string): Fact[] {
  const found: (Fact & { at: number })[] = [];
  for (const rule of rules) {
    for (const match of sentence.matchAll(rule.pattern)) {
      found.push({ at: match.index, ...fact(rule.about, match[1] ?? '', rule.list === true) });
    }
  }
  for (const match of sentence.matchAll(possession)) {
    const about = canonicalField(match[1] ?? '');
    found.push({ at: match.index, ...fact(about, match[2] ?? '', plural.has(about)) });
  }
  const name = introduction.exec(sentence)?.[1];
  if (name !== undefined) found.push({ at: 0, ...fact('name', name, false) });
  return found.toSorted((a, b) => a.at - b.at).map(({ about, values, adds }) => ({ about, values, adds }));
}

/** A fact from its words; a list's are parted at commas and "and". */
export function fact(about: string, words: string, isList: boolean): Fact {
  const whole = words.trim().replace(/[,.]+$/, '');
  const values = isList ? whole.split(/\s*,\s*(?:and\s+)?|\s+and\s+/).filter((one) => one !== '') : [whole];
  return { about, values, adds: isList };
}

export const isListField = (about: string): boolean => plural.has(about);
