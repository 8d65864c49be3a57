// Matches rules on readings. Rules are indexed by the class of their first word, so the cost of a text depends on the
// number of such words.
import type { TextSpan } from '../../../text/span.ts';
import type { Lexicon } from '../lexicon/lexicon.ts';
import { matchSize, type RuleReading, type RuleToken } from '../readings/reading.ts';
import { createChoiceSets, type ChoiceSet, type ChoiceSets } from './choice-sets.ts';
import { createNeedChoice, createStartList, type ListStarts, type Need } from './needed-words.ts';
import { readChoice, readPhrase, type InjectionRule } from './rule.ts';

/** `negator`: end of the preceding "not", if the rule can be negated. */
export type RuleMatch = TextSpan & { rule: InjectionRule; negator?: number | undefined };
export type MatchRules = (reading: RuleReading, isTool: boolean) => RuleMatch[];

type RuleStep = { gap: number; choices: ChoiceSet; optional: boolean };
type RuleFinder = (reading: RuleReading, at: number) => { from: number; to: number } | undefined;
/** One phrase of a rule, or its words in any order. `needs`: some of the sets of which a match contains a word, besides the first. */
export type CompiledRule = { rule: InjectionRule; first: ChoiceSet; needs: readonly Need[]; find: RuleFinder };

/** Minimum number of letters of a match, because few letters match by chance. */
const minLetters: Record<RuleReading['kind'], number> = { words: 0, guessed: 7, letters: 18 };
/**
 * Minimum number of letters of each word of an unordered rule. Among bare letters, the short words of forty languages
 * occur inside other words.
 */
const MIN_LETTERS_EACH: Record<RuleReading['kind'], number> = { words: 0, guessed: 0, letters: 4 };
/** Number of words before a match in which "not" is searched. */
const NEGATION_REACH = 2;

export function compileRules(rules: readonly InjectionRule[], lexicon: Lexicon): MatchRules {
  const sets = createChoiceSets();
  const needing = rules.flatMap((rule) => compileRule(rule, lexicon, sets));
  const chooseNeeds = createNeedChoice(lexicon, sets);
  const compiled = needing.map((one) => ({ ...one, needs: chooseNeeds(one.needs) }));
  return createMatcher(compiled, lexicon, sets);
}

export function createMatcher(compiled: readonly CompiledRule[], lexicon: Lexicon, sets: ChoiceSets): MatchRules {
  const inLetters = compiled.filter(({ rule }) => rule.inLetters);
  const starts: Record<RuleReading['kind'], Starts> = {
    words: { rules: compiled, list: createStartList(compiled, sets, 0) },
    guessed: { rules: compiled, list: createStartList(compiled, sets, 1) },
    letters: { rules: inLetters, list: createStartList(inLetters, sets, 1) },
  };
  const not = new Set([lexicon.getClassId('not')]);
  return (reading, isTool) => {
    const { rules, list } = starts[reading.kind];
    const pairs = list(reading);
    if (pairs.length === 0) return [];
    const { kind, tokens } = reading;
    const fromTheEnd: RuleMatch[] = [];
    for (let pair = 0; pair < pairs.length; pair += 2) {
      const at = pairs[pair] ?? 0;
      const started = rules[pairs[pair + 1] ?? 0];
      if (!started || (started.rule.where === 'tool' && !isTool)) continue;
      const { rule, find } = started;
      const range = find(reading, at);
      if (!range || countLetters(tokens, range) < minLetters[kind]) continue;
      const negator = rule.negatable === true ? findNegator(tokens, range.from, not) : undefined;
      fromTheEnd.push({ rule, negator, ...toSpan(tokens, range) });
    }
    return fromTheEnd.toReversed();
  };
}

type Starts = { rules: readonly CompiledRule[]; list: ListStarts };

function toSpan(tokens: readonly RuleToken[], { from, to }: { from: number; to: number }): TextSpan {
  let [start, end] = [tokens[from]?.start ?? 0, tokens[from]?.end ?? 0];
  for (let at = from; at < to; at++) {
    start = Math.min(start, tokens[at]?.start ?? start);
    end = Math.max(end, tokens[at]?.end ?? end);
  }
  return { start, end };
}

function countLetters(tokens: readonly RuleToken[], { from, to }: { from: number; to: number }): number {
  let sum = 0;
  for (let at = from; at < to; at++) sum += tokens[at]?.size ?? 0;
  return sum;
}

function findNegator(tokens: readonly RuleToken[], from: number, not: ReadonlySet<number>): number | undefined {
  const index = tokens[from]?.index ?? 0;
  for (let at = from - 1; at >= 0 && (tokens[at]?.index ?? 0) >= index - NEGATION_REACH; at--) {
    const size = matchSize(tokens, at, not);
    if (size > 0) return tokens[at + size - 1]?.end;
  }
  return undefined;
}

/** `needs`: all sets of which a match contains a word, without the first one. */
export function compileRule(rule: InjectionRule, lexicon: Lexicon, sets: ChoiceSets): CompiledRule[] {
  const toChoiceSet = (choices: readonly string[]): ChoiceSet =>
    sets.intern(choices.map((name) => lexicon.getClassId(name.startsWith('@') ? name.slice(1) : `=${name}`)));
  const inOrder = (rule.phrases ?? []).flatMap((phrase) => {
    const steps = readPhrase(phrase).map(({ gap, optional, choices }) => ({
      gap,
      optional,
      choices: toChoiceSet(choices),
    }));
    const [head, ...rest] = steps;
    if (!head) return [];
    return {
      rule,
      first: head.choices,
      needs: collectNeeds(steps, lexicon),
      find: (reading: RuleReading, at: number) => {
        const size = matchSize(reading.tokens, at, head.choices.classes);
        const to = size > 0 ? follow(reading, at + size, getNextIndex(reading.tokens, at, size), rest, 0) : -1;
        return to < 0 ? undefined : { from: at, to };
      },
    };
  });
  const [anchor, ...others] = (rule.together ?? []).map((choice) => toChoiceSet(readChoice(choice)));
  if (!anchor) return inOrder;
  const together = {
    rule,
    first: anchor,
    needs: others.map(({ id }) => ({ set: id, distance: getWidest(rule), slacks: 0, isAround: true })),
    find: (reading: RuleReading, at: number) => findTogether(reading, at, anchor, others, getWithin(rule, reading)),
  };
  return [...inOrder, together];
}

/** Like matchSize, for sets that most tokens are not in. */
function matchChoice(tokens: readonly RuleToken[], at: number, choices: ChoiceSet): number {
  const token = tokens[at];
  return token && choices.has(token.entry) ? matchSize(tokens, at, choices.classes) : 0;
}

/** Computes the maximum distance of each word from the first one. */
function collectNeeds(steps: readonly RuleStep[], lexicon: Lexicon): Need[] {
  let [after, slacks] = [0, -1];
  return steps.flatMap(({ gap, optional, choices }, at) => {
    after += gap;
    slacks += 1;
    const need = { set: choices.id, distance: after, slacks, isAround: false };
    after += Math.max(...Array.from(choices.classes, (id) => lexicon.getLongest(id)));
    return at === 0 || optional ? [] : [need];
  });
}

const getNextIndex = (tokens: readonly RuleToken[], at: number, size: number): number =>
  (tokens[at + size - 1]?.index ?? 0) + 1;

/** Returns the token after the phrase, or -1 if the phrase does not continue. */
function follow(reading: RuleReading, at: number, index: number, steps: readonly RuleStep[], done: number): number {
  const step = steps[done];
  if (!step) return at;
  const { tokens, slack } = reading;
  for (let next = at; (tokens[next]?.index ?? Number.POSITIVE_INFINITY) <= index + step.gap + slack; next++) {
    const size = matchChoice(tokens, next, step.choices);
    if (size === 0) continue;
    const to = follow(reading, next + size, getNextIndex(tokens, next, size), steps, done + 1);
    if (to >= 0) return to;
  }
  return step.optional ? follow(reading, at, index, steps, done + 1) : -1;
}

const getWidest = ({ within = 8 }: InjectionRule): number => within;
/** Counts unknown text as one word per four letters. */
const getWithin = (rule: InjectionRule, { kind }: RuleReading): number =>
  kind === 'letters' ? Math.ceil(getWidest(rule) / 2) : getWidest(rule);

/** Finds one token of each set, none of them twice, nearest to the first. */
function findTogether(
  { tokens, kind }: RuleReading,
  at: number,
  anchor: ChoiceSet,
  others: readonly ChoiceSet[],
  within: number,
) {
  const size = matchSize(tokens, at, anchor.classes);
  if (size === 0 || countLetters(tokens, { from: at, to: at + size }) < MIN_LETTERS_EACH[kind]) return undefined;
  let [from, to] = [at, at + size];
  const used = Array.from({ length: size }, (_, n) => at + n);
  for (const wanted of others) {
    const found = findNearest(tokens, at, wanted, { within, minLetters: MIN_LETTERS_EACH[kind] }, used);
    if (!found) return undefined;
    for (let n = 0; n < found.size; n++) used.push(found.at + n);
    from = Math.min(from, found.at);
    to = Math.max(to, found.at + found.size);
  }
  const length = (tokens[to - 1]?.index ?? 0) - (tokens[from]?.index ?? 0);
  return length <= within ? { from, to } : undefined;
}

function findNearest(
  tokens: readonly RuleToken[],
  at: number,
  wanted: ChoiceSet,
  { within, minLetters: least }: { within: number; minLetters: number },
  used: readonly number[],
) {
  const index = tokens[at]?.index ?? 0;
  const isNear = (place: number) => Math.abs((tokens[place]?.index ?? Number.POSITIVE_INFINITY) - index) <= within;
  for (let step = 0; isNear(at + step) || isNear(at - step); step++) {
    for (const place of step === 0 ? [at] : [at + step, at - step]) {
      if (!isNear(place) || used.includes(place)) continue;
      const size = matchChoice(tokens, place, wanted);
      if (size > 0 && countLetters(tokens, { from: place, to: place + size }) >= least) return { at: place, size };
    }
  }
  return undefined;
}
