// Answers a question from what is remembered: by a fact where the question asks for one ("What is my name?"), else by
// the sentence that shares most words with the question. No answer is better than a poor one: the caller then says that
// nothing is known.
import type { Fact } from './facts.ts';
import { canonicalField } from './field-names.ts';
import type { Remembered } from './remembered.ts';
import { contentWords, isFirstPerson, listed } from './sentences.ts';

const maxQuotes = 3;
const maxFacts = 8;

/** The answer to one question, or undefined where nothing that is remembered fits. */
export function recollect(question: string, remembered: readonly Remembered[]): string | undefined {
  const facts = merged(remembered.flatMap((one) => one.facts));
  if (/\b(?:know|remember)\b.*\b(?:about me|of me)\b/i.test(question)) {
    const known = [...facts.values()].slice(-maxFacts).map(factSentence);
    return known.length === 0 ? undefined : known.join(' ');
  }
  const asked = askedFields(question)
    .map((about) => facts.get(about))
    .filter((fact) => fact !== undefined);
  if (asked.length > 0) return asked.map(factSentence).join(' ');

  const quotes = bestSentences(question, remembered);
  return quotes.length === 0 ? undefined : `You told me: ${quotes.map((text) => `"${text}"`).join(' ')}`;
}

/** The latest value of every fact; what was said of a list is gathered. */
export function merged(all: readonly Fact[]): Map<string, Fact> {
  const facts = new Map<string, Fact>();
  for (const fact of all) {
    const before = facts.get(fact.about);
    const values = fact.adds && before ? [...new Set([...before.values, ...fact.values])] : fact.values;
    // Put anew, so that the order is that of the last mention.
    facts.delete(fact.about);
    facts.set(fact.about, { ...fact, values });
  }
  return facts;
}

const questionForms: readonly (readonly [RegExp, string])[] = [
  [/\bwho am I\b/i, 'name'],
  [/\bwhere (?:do|did) I live\b|\b(?:which|what) city\b/i, 'city'],
  [/\bwhere am I from\b|\bwhere do I come from\b/i, 'origin'],
  [/\bwhat do I (?:really )?(?:like|love|enjoy|prefer)\b/i, 'likes'],
  [/\bwhat do(?: I not|n't I| I dislike)\b/i, 'dislikes'],
  [/\bhow old am I\b/i, 'age'],
  [/\b(?:where|who) do I work\b/i, 'employer'],
  [/\bwhat do I (?:do|work as)\b/i, 'occupation'],
  [/\b(?:which|what) languages? do I speak\b/i, 'languages'],
];

function askedFields(question: string): string[] {
  const fields = questionForms.filter(([form]) => form.test(question)).map(([, about]) => about);
  // "Where did I park my car?" does not ask what the car is: the noun must follow what asks for it.
  for (const match of question.matchAll(
    /(?:\b(?:is|are|was|what|which|whats|know|remember|recall|tell me|of|and)|'s|'re)\s+my\s+([\p{L}'-]+(?:\s[\p{L}'-]+){0,3})/giu,
  )) {
    const words = (match[1] ?? '').split(/\s/);
    // "my name and where I live": the longest run of words from the start that names a known field is the caller's.
    for (let count = words.length; count > 0; count--) fields.push(canonicalField(words.slice(0, count).join(' ')));
  }
  return [...new Set(fields)];
}

const phrases = new Map<string, (values: string) => string>([
  ['city', (values) => `You live in ${values}.`],
  ['origin', (values) => `You are from ${values}.`],
  ['likes', (values) => `You like ${values}.`],
  ['dislikes', (values) => `You do not like ${values}.`],
  ['age', (values) => `You are ${values} years old.`],
  ['employer', (values) => `You work for ${values}.`],
  ['languages', (values) => `You speak ${values}.`],
  ['goals', (values) => `You want to ${values}.`],
]);

export function factSentence({ about, values }: Fact): string {
  const text = listed(values);
  return phrases.get(about)?.(text) ?? `Your ${about} is ${text}.`;
}

/** The sentences that share most content words with the question, the latest last. */
function bestSentences(question: string, remembered: readonly Remembered[]): string[] {
  const asked = new Set(contentWords(question));
  if (asked.size === 0) return [];
  const scored = remembered.map(({ text }) => {
    const words = new Set(contentWords(text));
    return { text, score: [...asked].filter((word) => words.has(word)).length };
  });
  const best = Math.max(0, ...scored.map(({ score }) => score));
  // A question about the user themself is meant for memory; any other must be covered well before a memory answers it.
  const needed = isFirstPerson(question) ? Math.max(1, asked.size / 3) : Math.max(2, asked.size * 0.6);
  if (best < needed) return [];
  const quotes = scored.filter(({ score }) => score === best).map(({ text }) => text);
  return [...new Set(quotes.toReversed())].slice(0, maxQuotes).toReversed();
}
