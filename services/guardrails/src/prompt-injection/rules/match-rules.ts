// Rules over readings. What a rule begins with is looked up by class, so that a text costs what it holds of such words.
import type { Span } from '../../text/span.ts';
import type { Entry } from '../lexicon/entry.ts';
import type { Lexicon } from '../lexicon/lexicon.ts';
import { sizeOf, type Reading, type Token } from '../readings/reading.ts';
import { createChoiceSets, type ChoiceSet, type ChoiceSets } from './choice-sets.ts';
import { createNeeding, type Need } from './needed-words.ts';
import { readChoice, readPhrase, type Rule } from './rule.ts';

/** `negator`: the end of the "not" before it, where it may have one. */
export type RuleMatch = Span & { rule: Rule; negator?: number | undefined };
export type MatchRules = (reading: Reading, isTool: boolean) => RuleMatch[];

type Step = { gap: number; choices: ChoiceSet; optional: boolean };
type Compiled = {
  rule: Rule;
  first: ChoiceSet;
  /** One word of each has to stand near. */
  needs: Need[];
  find(reading: Reading, at: number): { from: number; to: number } | undefined;
};

/** Few letters stand in a row by chance. */
const minLetters: Record<Reading['kind'], number> = { words: 0, guessed: 7, letters: 18 };
/** Words in any order, some of which are short in one of forty languages: among bare letters, shorter ones stand in any word. */
const MIN_LETTERS_EACH: Record<Reading['kind'], number> = { words: 0, guessed: 0, letters: 4 };
/** Words before a rule's first one among which "not" is looked for. */
const NEGATION_REACH = 2;

export function compileRules(rules: readonly Rule[], lexicon: Lexicon): MatchRules {
  const sets = createChoiceSets();
  const all = rules.flatMap((rule) => compileRule(rule, lexicon, sets));
  const words = starting(all, sets);
  const letters = starting(
    all.filter(({ rule }) => rule.inLetters),
    sets,
  );
  const startings = { words, guessed: words, letters };
  const not = new Set([lexicon.classOf('not')]);
  return (reading, isTool) => {
    const { kind, tokens, slack } = reading;
    const { compiledAt, needing } = startings[kind];
    const needed = needing(tokens, slack);
    const matchesAt = (at: number, entry: Entry): RuleMatch[] => {
      const found: RuleMatch[] = [];
      for (const { rule, needs, find } of compiledAt(entry)) {
        if ((rule.where === 'tool' && !isTool) || !needed.areNear(at, needs)) continue;
        const range = find(reading, at);
        if (!range || lettersIn(tokens, range) < minLetters[kind]) continue;
        const negator = rule.negatable === true ? negatorOf(tokens, range.from, not) : undefined;
        found.push({ rule, negator, ...spanOf(tokens, range) });
      }
      return found;
    };
    const fromTheEnd: RuleMatch[][] = [];
    for (let at = tokens.length - 1; at >= 0; at--) {
      const entry = tokens[at]?.entry;
      const found = entry ? matchesAt(at, entry) : [];
      if (found.length > 0) fromTheEnd.push(found);
      needed.pass(at);
    }
    return fromTheEnd.toReversed().flat();
  };
}

const starting = (all: readonly Compiled[], sets: ChoiceSets) => ({
  compiledAt: beginningsOf(all, sets),
  needing: createNeeding(
    all.flatMap(({ needs }) => needs),
    sets,
  ),
});

/** What may begin with a word. */
function beginningsOf(all: readonly Compiled[], sets: ChoiceSets): (entry: Entry) => readonly Compiled[] {
  const bySet = new Map<number, Compiled[]>();
  for (const compiled of all) bySet.set(compiled.first.id, [...(bySet.get(compiled.first.id) ?? []), compiled]);
  const known = new Map<Entry, readonly Compiled[]>();
  return (entry) => {
    const before = known.get(entry);
    if (before) return before;
    const found = Array.from(sets.with(entry), (id) => bySet.get(id) ?? []).flat();
    known.set(entry, found);
    return found;
  };
}

function spanOf(tokens: readonly Token[], { from, to }: { from: number; to: number }): Span {
  let [start, end] = [tokens[from]?.start ?? 0, tokens[from]?.end ?? 0];
  for (let at = from; at < to; at++) {
    start = Math.min(start, tokens[at]?.start ?? start);
    end = Math.max(end, tokens[at]?.end ?? end);
  }
  return { start, end };
}

const lettersIn = (tokens: readonly Token[], { from, to }: { from: number; to: number }): number =>
  tokens.slice(from, to).reduce((sum, { size }) => sum + size, 0);

function negatorOf(tokens: readonly Token[], from: number, not: ReadonlySet<number>): number | undefined {
  const index = tokens[from]?.index ?? 0;
  for (let at = from - 1; at >= 0 && (tokens[at]?.index ?? 0) >= index - NEGATION_REACH; at--) {
    const size = sizeOf(tokens, at, not);
    if (size > 0) return tokens[at + size - 1]?.end;
  }
  return undefined;
}

function compileRule(rule: Rule, lexicon: Lexicon, sets: ChoiceSets): Compiled[] {
  const choicesOf = (choices: readonly string[]): ChoiceSet =>
    sets.of(choices.map((name) => lexicon.classOf(name.startsWith('@') ? name.slice(1) : `=${name}`)));
  const inOrder = (rule.phrases ?? []).flatMap((phrase) => {
    const steps = readPhrase(phrase).map(({ gap, optional, choices }) => ({
      gap,
      optional,
      choices: choicesOf(choices),
    }));
    const [head, ...rest] = steps;
    if (!head) return [];
    return {
      rule,
      first: head.choices,
      needs: needsOf(steps, lexicon),
      find: (reading: Reading, at: number) => {
        const size = sizeOf(reading.tokens, at, head.choices.classes);
        const to = size > 0 ? follow(reading, at + size, nextIndex(reading.tokens, at, size), rest, 0) : -1;
        return to < 0 ? undefined : { from: at, to };
      },
    };
  });
  const [anchor, ...others] = (rule.together ?? []).map((choice) => choicesOf(readChoice(choice)));
  if (!anchor) return inOrder;
  const together = {
    rule,
    first: anchor,
    needs: others.map(({ id }) => ({ set: id, around: widest(rule) })),
    find: (reading: Reading, at: number) => findTogether(reading, at, anchor, others, withinOf(rule, reading)),
  };
  return [...inOrder, together];
}

/** As sizeOf, for what most tokens are not. */
function sizeIn(tokens: readonly Token[], at: number, choices: ChoiceSet): number {
  const token = tokens[at];
  return token && choices.has(token.entry) ? sizeOf(tokens, at, choices.classes) : 0;
}

/** How far behind the first word each of the others may stand. */
function needsOf(steps: readonly Step[], lexicon: Lexicon): Need[] {
  let [after, slacks] = [0, -1];
  return steps.flatMap(({ gap, optional, choices }, at) => {
    after += gap;
    slacks += 1;
    const need = { set: choices.id, after, slacks };
    after += Math.max(...Array.from(choices.classes, (id) => lexicon.longestOf(id)));
    return at === 0 || optional ? [] : [need];
  });
}

const nextIndex = (tokens: readonly Token[], at: number, size: number): number =>
  (tokens[at + size - 1]?.index ?? 0) + 1;

/** The token after the last one of the phrase; -1 where it does not go on so. */
function follow(reading: Reading, at: number, index: number, steps: readonly Step[], done: number): number {
  const step = steps[done];
  if (!step) return at;
  const { tokens, slack } = reading;
  for (let next = at; (tokens[next]?.index ?? Number.POSITIVE_INFINITY) <= index + step.gap + slack; next++) {
    const size = sizeIn(tokens, next, step.choices);
    if (size === 0) continue;
    const to = follow(reading, next + size, nextIndex(tokens, next, size), steps, done + 1);
    if (to >= 0) return to;
  }
  return step.optional ? follow(reading, at, index, steps, done + 1) : -1;
}

const widest = ({ within = 8 }: Rule): number => within;
/** What is no word is counted by fours of letters. */
const withinOf = (rule: Rule, { kind }: Reading): number =>
  kind === 'letters' ? Math.ceil(widest(rule) / 2) : widest(rule);

/** One token of each, none of them twice, nearest to the first. */
function findTogether(
  { tokens, kind }: Reading,
  at: number,
  anchor: ChoiceSet,
  others: readonly ChoiceSet[],
  within: number,
) {
  const size = sizeOf(tokens, at, anchor.classes);
  if (size === 0 || lettersIn(tokens, { from: at, to: at + size }) < MIN_LETTERS_EACH[kind]) return undefined;
  let [from, to] = [at, at + size];
  const used = new Set(Array.from({ length: size }, (_, n) => at + n));
  for (const wanted of others) {
    const found = nearest(tokens, at, wanted, { within, minLetters: MIN_LETTERS_EACH[kind] }, used);
    if (!found) return undefined;
    for (let n = 0; n < found.size; n++) used.add(found.at + n);
    from = Math.min(from, found.at);
    to = Math.max(to, found.at + found.size);
  }
  const length = (tokens[to - 1]?.index ?? 0) - (tokens[from]?.index ?? 0);
  return length <= within ? { from, to } : undefined;
}

function nearest(
  tokens: readonly Token[],
  at: number,
  wanted: ChoiceSet,
  { within, minLetters: least }: { within: number; minLetters: number },
  used: ReadonlySet<number>,
) {
  const index = tokens[at]?.index ?? 0;
  const isNear = (place: number) => Math.abs((tokens[place]?.index ?? Number.POSITIVE_INFINITY) - index) <= within;
  for (let step = 0; isNear(at + step) || isNear(at - step); step++) {
    for (const place of step === 0 ? [at] : [at + step, at - step]) {
      if (!isNear(place) || used.has(place)) continue;
      const size = sizeIn(tokens, place, wanted);
      if (size > 0 && lettersIn(tokens, { from: place, to: place + size }) >= least) return { at: place, size };
    }
  }
  return undefined;
}
