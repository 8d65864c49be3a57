// Searches the longest word at a place of a text of letters. It runs at most letters of a text, so the first three letters are one step, and
// a step reads one row.

/** Length of a node's row of children. */
export const LETTERS = 26;

/**
 * Returns the longest word that starts at `at` as its number, or 0. @param letters 0 to 25 @param step 1, or -1 for a word that is written
 * backwards @param left number of letters from `at` on
 */
export type LetterSearch = (letters: Uint8Array, at: number, step: 1 | -1, left: number) => number;

/**
 * A row of four numbers for each node: a bit for each letter of a child; the number of the first child, which the others follow in the order
 * of their letters; the number of the word, or 0; and nothing. The first rows are the nodes of all three letters, also of those that
 * start no word.
 */
type SearchRow = Int32Array;
const ROW = 4;
const [FIRST_CHILD, WORD] = [1, 2];

/** @param children of each node of a trie: a row of nodes, or 0 @param ends the number of the word of each node, or 0 */
export function createLetterSearch(children: Int32Array, ends: Int32Array): LetterSearch {
  const rows = createRows(children, ends);
  return (letters, at, step, left) => {
    const first = letters[at] ?? 0;
    const second = letters[at + step] ?? 0;
    if (left < 3) return left < 2 ? 0 : findPair(children, ends, first, second);
    let row = ROW * ((first * LETTERS + second) * LETTERS + (letters[at + 2 * step] ?? 0));
    let best = rows[row + WORD] ?? 0;
    for (let count = 3; count < left; count++) {
      const bits = rows[row] ?? 0;
      const bit = 1 << (letters[at + count * step] ?? 0);
      if ((bits & bit) === 0) break;
      row = ROW * ((rows[row + FIRST_CHILD] ?? 0) + countBits(bits & (bit - 1)));
      const word = rows[row + WORD] ?? 0;
      if (word !== 0) best = word;
    }
    return best;
  };
}

function countBits(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x5555_5555);
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

function createRows(children: Int32Array, ends: Int32Array): SearchRow {
  const threes = new Int32Array(ROW * LETTERS ** 3);
  /** The rows behind those of three letters. */
  const others: number[] = [];
  for (let three = 0; three < LETTERS ** 3; three++) {
    const [one, two] = [Math.floor(three / LETTERS ** 2), Math.floor(three / LETTERS) % LETTERS];
    const first = findChild(children, 0, one);
    const second = first === 0 ? 0 : findChild(children, first, two);
    const node = second === 0 ? 0 : findChild(children, second, three % LETTERS);
    if (node !== 0) addChildren(threes, ROW * three, { children, ends, node, others });
    threes[ROW * three + WORD] = ends[node] || findPair(children, ends, one, two);
  }
  const rows = new Int32Array(threes.length + others.length);
  rows.set(threes);
  rows.set(others, threes.length);
  return rows;
}

/** Returns 0 if the node has no such child. */
const findChild = (children: Int32Array, node: number, letter: number): number =>
  children[node * LETTERS + letter] ?? 0;

/** Returns the word of two letters, or 0. */
function findPair(children: Int32Array, ends: Int32Array, one: number, two: number): number {
  const first = findChild(children, 0, one);
  return first === 0 ? 0 : (ends[findChild(children, first, two)] ?? 0);
}

type Parent = { children: Int32Array; ends: Int32Array; node: number; others: number[] };

/** Adds the rows of all nodes below a node, and completes its own row at `row` of `own`. */
function addChildren(own: Int32Array | number[], row: number, { children, ends, node, others }: Parent): void {
  const from = others.length;
  own[row + FIRST_CHILD] = LETTERS ** 3 + from / ROW;
  let bits = 0;
  for (let letter = 0; letter < LETTERS; letter++) {
    const child = findChild(children, node, letter);
    if (child === 0) continue;
    bits |= 1 << letter;
    others.push(0, 0, ends[child] ?? 0, 0);
  }
  own[row] = bits;
  for (let letter = 0, next = from; letter < LETTERS; letter++) {
    const child = findChild(children, node, letter);
    if (child === 0) continue;
    addChildren(others, next, { children, ends, node: child, others });
    next += ROW;
  }
}
