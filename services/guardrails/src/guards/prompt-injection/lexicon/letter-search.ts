// Searches the longest word at a place of a text of letters. It runs at most letters of a text, so the first three letters are one step, and
// the nodes of the following ones are small and near each other.

/** Length of a node's row of children. */
export const LETTERS = 26;

/**
 * Returns the longest word that starts at `at` as its number, or 0. @param letters 0 to 25 @param step 1, or -1 for a word that is written
 * backwards @param left number of letters from `at` on
 */
export type LetterSearch = (letters: Uint8Array, at: number, step: 1 | -1, left: number) => number;

/**
 * Nodes behind the first three letters in the order of a depth-first visit, so that the first child of a node is the next node. Two numbers
 * for each: its letter, a bit if it has a child, and the number of its word; and the next node with the same parent, or 0.
 */
type Nodes = number[];
const LETTER_BITS = 5;
const LETTER_MASK = (1 << LETTER_BITS) - 1;
const HAS_CHILD = 1 << LETTER_BITS;
const WORD_SHIFT = LETTER_BITS + 1;

/** @param children of each node of a trie: a row of nodes, or 0 @param ends the number of the word of each node, or 0 */
export function createLetterSearch(children: Int32Array, ends: Int32Array): LetterSearch {
  const found: Nodes = [0, 0];
  const starts = createStarts(children, ends, found);
  const nodes = Int32Array.from(found);
  return (letters, at, step, left) => {
    const first = letters[at] ?? 0;
    const second = letters[at + step] ?? 0;
    if (left < 3) return left < 2 ? 0 : findPair(children, ends, first, second);
    const three = (first * LETTERS + second) * LETTERS + (letters[at + 2 * step] ?? 0);
    let node = starts[2 * three] ?? 0;
    let best = starts[2 * three + 1] ?? 0;
    for (let count = 3; node !== 0 && count < left; count++) {
      const letter = letters[at + count * step] ?? 0;
      let head = nodes[2 * node] ?? 0;
      while ((head & LETTER_MASK) !== letter) {
        node = nodes[2 * node + 1] ?? 0;
        if (node === 0) return best;
        head = nodes[2 * node] ?? 0;
      }
      if (head >>> WORD_SHIFT !== 0) best = head >>> WORD_SHIFT;
      node = (head & HAS_CHILD) === 0 ? 0 : node + 1;
    }
    return best;
  };
}

/** Returns for each three letters the node of the next one, or 0, and the longest word in them, or 0. */
function createStarts(children: Int32Array, ends: Int32Array, nodes: Nodes): Int32Array {
  const starts = new Int32Array(2 * LETTERS ** 3);
  for (let three = 0; three < LETTERS ** 3; three++) {
    const [one, two] = [Math.floor(three / LETTERS ** 2), Math.floor(three / LETTERS) % LETTERS];
    const first = findChild(children, 0, one);
    const second = first === 0 ? 0 : findChild(children, first, two);
    const node = second === 0 ? 0 : findChild(children, second, three % LETTERS);
    starts[2 * three] = addChildren(children, ends, node, nodes);
    starts[2 * three + 1] = ends[node] || findPair(children, ends, one, two);
  }
  return starts;
}

/** Returns 0 if the node has no such child. */
const findChild = (children: Int32Array, node: number, letter: number): number =>
  children[node * LETTERS + letter] ?? 0;

/** Returns the word of two letters, or 0. */
function findPair(children: Int32Array, ends: Int32Array, one: number, two: number): number {
  const first = findChild(children, 0, one);
  return first === 0 ? 0 : (ends[findChild(children, first, two)] ?? 0);
}

/** Adds all nodes below a node. Returns the first of them, or 0. */
function addChildren(children: Int32Array, ends: Int32Array, parent: number, nodes: Nodes): number {
  if (parent === 0) return 0;
  let [first, last] = [0, 0];
  for (let letter = 0; letter < LETTERS; letter++) {
    const child = findChild(children, parent, letter);
    if (child === 0) continue;
    const node = nodes.length / 2;
    nodes.push(letter + ((ends[child] ?? 0) << WORD_SHIFT), 0);
    if (last === 0) first = node;
    else nodes[2 * last + 1] = node;
    last = node;
    if (addChildren(children, ends, child, nodes) !== 0) nodes[2 * node] = (nodes[2 * node] ?? 0) + HAS_CHILD;
  }
  return first;
}
