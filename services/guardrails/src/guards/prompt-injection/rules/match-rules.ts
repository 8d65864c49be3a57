// Matches rules on readings. Rules are indexed by the class of their first word, so the cost of a text depends on the
// number of such words.
import type { TextSpan } from '../../../text/span.ts';
import { getEntry } from '../lexicon/entry.ts';
import type { Lexicon } from '../lexicon/lexicon.ts';
import { matchSize, type RuleReading } from '../readings/reading.ts';
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
    const { kind } = reading;
    const fromTheEnd: RuleMatch[] = [];
    for (let pair = 0; pair < pairs.length; pair += 2) {
      const at = pairs[pair] ?? 0;
      const started = rules[pairs[pair + 1] ?? 0];
      if (!started || (started.rule.where === 'tool' && !isTool)) continue;
      const { rule, find } = started;
      const range = find(reading, at);
      if (!range || countLetters(reading, range) < minLetters[kind]) continue;
      const negator = rule.negatable === true ? findNegator(reading, range.from, not) : undefined;
      fromTheEnd.push({ rule, negator, ...toSpan(reading, range) });
    }
    return fromTheEnd.toReversed();
  };
}

type Starts = { rules: readonly CompiledRule[]; list: ListStarts };

function toSpan(reading: RuleReading, { from, to }: { from: number; to: number }): TextSpan {
  let { start, end } = reading.getSpan(from);
  for (let at = from + 1; at < to; at++) {
    const span = reading.getSpan(at);
    start = Math.min(start, span.start);
    end = Math.max(end, span.end);
  }
  return { start, end };
}

function countLetters(reading: RuleReading, { from, to }: { from: number; to: number }): number {
  let sum = 0;
  for (let at = from; at < to; at++) sum += reading.sizes[at] ?? 0;
  return sum;
}

function findNegator(reading: RuleReading, from: number, not: ReadonlySet<number>): number | undefined {
  const index = reading.indexes[from] ?? 0;
  for (let at = from - 1; at >= 0 && (reading.indexes[at] ?? 0) >= index - NEGATION_REACH; at--) {
    const size = matchSize(reading, at, not);
    if (size > 0) return reading.getSpan(at + size - 1).end;
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
        const size = matchSize(reading, at, head.choices.classes);
        const to = size > 0 ? follow(reading, at + size, getNextIndex(reading, at, size), rest, 0) : -1;
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
function matchChoice(reading: RuleReading, at: number, choices: ChoiceSet): number {
  const entry = getEntry(reading.ids[at] ?? -1);
  return entry && choices.has(entry) ? matchSize(reading, at, choices.classes) : 0;
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

const getNextIndex = ({ indexes }: RuleReading, at: number, size: number): number => (indexes[at + size - 1] ?? 0) + 1;

/** Returns the token after the phrase, or -1 if the phrase does not continue. */
function follow(reading: RuleReading, at: number, index: number, steps: readonly RuleStep[], done: number): number {
  const step = steps[done];
  if (!step) return at;
  const { indexes, count, slack } = reading;
  const last = index + step.gap + slack;
  for (let next = at; next < count && (indexes[next] ?? 0) <= last; next++) {
    const size = matchChoice(reading, next, step.choices);
    if (size === 0) continue;
    const to = follow(reading, next + size, getNextIndex(reading, next, size), steps, done + 1);
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
  reading: RuleReading,
  at: number,
  anchor: ChoiceSet,
  others: readonly ChoiceSet[],
  within: number,
) {
  const minLettersEach = MIN_LETTERS_EACH[reading.kind];
  const size = matchSize(reading, at, anchor.classes);
  if (size === 0 || countLetters(reading, { from: at, to: at + size }) < minLettersEach) return undefined;
  let [from, to] = [at, at + size];
  const used = Array.from({ length: size }, (_, n) => at + n);
  for (const wanted of others) {
    const found = findNearest(reading, at, wanted, { within, minLetters: minLettersEach }, used);
    if (!found) return undefined;
    for (let n = 0; n < found.size; n++) used.push(found.at + n);
    from = Math.min(from, found.at);
    to = Math.max(to, found.at + found.size);
  }
  const length = (reading.indexes[to - 1] ?? 0) - (reading.indexes[from] ?? 0);
  return length <= within ? { from, to } : undefined;
}

function findNearest(
  reading: RuleReading,
  at: number,
  wanted: ChoiceSet,
  { within, minLetters: least }: { within: number; minLetters: number },
  used: readonly number[],
): { at: number; size: number } | undefined {
  const { indexes, count } = reading;
  const index = indexes[at] ?? 0;
  const isNear = (place: number) => place >= 0 && place < count && Math.abs((indexes[place] ?? 0) - index) <= within;
  const measure = (place: number): number => {
    if (!isNear(place) || used.includes(place)) return 0;
    const size = matchChoice(reading, place, wanted);
    return size > 0 && countLetters(reading, { from: place, to: place + size }) >= least ? size : 0;
  };
  for (let step = 0; isNear(at + step) || isNear(at - step); step++) {
    const after = measure(at + step);
    if (after > 0) return { at: at + step, size: after };
    const before = step === 0 ? 0 : measure(at - step);
    if (before > 0) return { at: at - step, size: before };
  }
  return undefined;
}
