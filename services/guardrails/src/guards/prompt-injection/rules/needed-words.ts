// Finds the places at which a rule may match: a word that can start it, with the rarest words that it needs near it. It runs for each known
// word of a text, so all that a word means for the rules is a row of numbers in one array. The text is read from its end, so that the
// following words are known.
import { ORDINARY_WORDS } from '../lexicon/lexicon-files.ts';
import { getEntry, type LexiconEntry } from '../lexicon/entry.ts';
import type { Lexicon } from '../lexicon/lexicon.ts';
import type { RuleReading } from '../readings/reading.ts';
import type { ChoiceSet, ChoiceSets } from './choice-sets.ts';

/**
 * A set of which a rule needs one word, up to `distance` words plus `slacks` times the reading's slack after the first word, or before or
 * after it if `isAround`.
 */
export type Need = { set: number; distance: number; slacks: number; isAround: boolean };

/** A word that can start rules, and their needs. */
type Startable = { first: ChoiceSet; needs: readonly Need[] };

/**
 * For each set, the index of its first word after the token; then the same, counted from `reach` words before the token; then a word that
 * is always near.
 */
type NearestPlaces = Int32Array;
/** Index of a word that the reading has not shown yet. */
const NOWHERE = 0x3fff_ffff;

/**
 * Rows of the words: the numbers of the following members; the places in `NearestPlaces` at which the word is noted when it is read, and before
 * that for the words around it; and the rules that it can start, each with two needs, as a place in `NearestPlaces` and the maximum distance.
 */
type WordRows = { rows: Int32Array; end: number; starts: Int32Array };
const HEADER = 3;
const RULE = 5;
/** Start of the row of most words, which no rule reads. */
const NO_ROLE = 0;
const NOT_READ = -1;

/** Returns pairs of a token and a rule that it may start, from the end of the text. May return pairs that do not match. */
export type ListStarts = (reading: RuleReading) => readonly number[];

/** @param rules in the order of their numbers @param slack of the readings */
export function createStartList(rules: readonly Startable[], sets: ChoiceSets, slack: number): ListStarts {
  const nearest: NearestPlaces = new Int32Array(2 * sets.count() + 1);
  const around = rules.flatMap(({ needs }) => needs.filter(({ isAround }) => isAround));
  const reach = Math.max(0, ...around.map(({ distance }) => distance));
  const createRow = createRowMaker(rules, sets, slack);
  const all: WordRows = { rows: new Int32Array(8_192), end: HEADER, starts: new Int32Array(0) };
  return (reading) => {
    const { ids } = reading;
    const { ats, places } = takeRoleColumns(reading.count);
    let count = 0;
    for (let at = 0; at < reading.count; at++) {
      const id = ids[at] ?? 0;
      const known = all.starts[id] ?? NOT_READ;
      const entry = known === NOT_READ ? getEntry(id) : undefined;
      const row = entry ? addRow(all, id, createRow(entry)) : known;
      if (row === NO_ROLE) continue;
      ats[count] = at;
      places[count] = row;
      count += 1;
    }
    return listOpen({ ats, places, count, indexes: reading.indexes }, all.rows, nearest.fill(NOWHERE), reach);
  };
}

/** Number of tokens up to which columns are kept for the next text. */
const MAX_KEPT = 65_536;
const createRoleColumns = (length: number) => ({ ats: new Int32Array(length), places: new Int32Array(length) });
const kept = createRoleColumns(MAX_KEPT);
const takeRoleColumns = (length: number) => (length <= MAX_KEPT ? kept : createRoleColumns(length));

/** The tokens that rules read, with their rows, because most tokens have no role. `indexes`: of all tokens. */
type RoleTokens = { ats: Int32Array; places: Int32Array; count: number; indexes: Int32Array };

/** Adds the row of a word at its first occurrence, and returns its start. */
function addRow(all: WordRows, id: number, row: readonly number[]): number {
  const start = row.length === 0 ? NO_ROLE : all.end;
  all.rows = growTo(all.rows, all.end + row.length, 0);
  all.starts = growTo(all.starts, id + 1, NOT_READ);
  all.starts[id] = start;
  all.rows.set(row, all.end);
  all.end += row.length;
  return start;
}

function growTo(array: Int32Array, length: number, value: number): Int32Array {
  if (length <= array.length) return array;
  const larger = new Int32Array(Math.max(length, 2 * array.length)).fill(value);
  larger.set(array);
  return larger;
}

function createRowMaker(rules: readonly Startable[], sets: ChoiceSets, slack: number) {
  const count = sets.count();
  const bySet = Map.groupBy(rules.keys(), (number) => rules[number]?.first.id);
  const needs = rules.flatMap((rule) => rule.needs);
  const wanted = new Set(needs.map(({ set }) => set));
  const wantedAround = new Set(needs.filter(({ isAround }) => isAround).map(({ set }) => set));
  const toGate = (need: Need | undefined): readonly [place: number, distance: number] =>
    need ? [need.set + (need.isAround ? count : 0), need.distance + need.slacks * slack] : [2 * count, NOWHERE];
  return (entry: LexiconEntry): readonly number[] => {
    const own = Array.from(sets.listSetsWith(entry));
    const after = own.filter((id) => wanted.has(id));
    const around = own.filter((id) => wantedAround.has(id)).map((id) => count + id);
    const started = own.flatMap((id) => bySet.get(id) ?? []);
    if (after.length + started.length === 0) return [];
    const gates = started.flatMap((number) => {
      const [one, two] = rules[number]?.needs ?? [];
      return [number, ...toGate(one), ...toGate(two)];
    });
    return [after.length, around.length, started.length, ...after, ...around, ...gates];
  };
}

function listOpen(
  { ats, places, count, indexes }: RoleTokens,
  rows: Int32Array,
  nearest: NearestPlaces,
  reach: number,
): readonly number[] {
  const open: number[] = [];
  let front = count - 1;
  for (let token = count - 1; token >= 0; token--) {
    const row = places[token] ?? NO_ROLE;
    const at = ats[token] ?? 0;
    const index = indexes[at] ?? 0;
    const after = row + HEADER;
    const around = after + (rows[row] ?? 0);
    const gates = around + (rows[row + 1] ?? 0);
    const end = gates + (rows[row + 2] ?? 0) * RULE;
    if (end > gates) {
      for (; front >= 0; front--) {
        const near = indexes[ats[front] ?? 0] ?? 0;
        if (near < index - reach) break;
        noteAround(nearest, rows, places[front] ?? NO_ROLE, near);
      }
      for (let gate = end - RULE; gate >= gates; gate -= RULE)
        if (isNear(nearest, rows, gate + 1, index) && isNear(nearest, rows, gate + 3, index))
          open.push(at, rows[gate] ?? 0);
    }
    for (let place = after; place < around; place++) nearest[rows[place] ?? 0] = index;
  }
  return open;
}

function noteAround(nearest: NearestPlaces, rows: Int32Array, row: number, index: number): void {
  const from = row + HEADER + (rows[row] ?? 0);
  const to = from + (rows[row + 1] ?? 0);
  for (let place = from; place < to; place++) nearest[rows[place] ?? 0] = index;
}

const isNear = (nearest: NearestPlaces, rows: Int32Array, gate: number, index: number): boolean =>
  (nearest[rows[gate] ?? 0] ?? 0) - index <= (rows[gate + 1] ?? 0);

/** Share of a common word in a set's commonness; a filler counts once. */
const COMMON = 0.05;

/** Returns a function that selects the two needs with the fewest ordinary words in their sets. */
export function createNeedChoice(lexicon: Lexicon, sets: ChoiceSets): (needs: readonly Need[]) => Need[] {
  const commonness = new Float64Array(sets.count());
  const count = (words: string, weight: number): void => {
    for (const word of words.split(' ')) {
      const entry = lexicon.plain.find(word);
      for (const id of entry ? sets.listSetsWith(entry) : []) commonness[id] = (commonness[id] ?? 0) + weight;
    }
  };
  count(ORDINARY_WORDS.fillers, 1);
  count(ORDINARY_WORDS.common, COMMON);
  const rank = (need: Need): number => commonness[need.set] ?? 0;
  return (needs) => needs.toSorted((one, other) => rank(one) - rank(other)).slice(0, 2);
}
