// Finds any of many keywords in tokens, from left to right, the longest first, and says how far a text that still comes in is
// decided: up to where a keyword may have begun that has not ended.
import type { Span } from '../text/span.ts';
import { tokensOf, type Token } from './tokens.ts';

type KeywordHit = Span & { keyword: string };
export type KeywordMatcher = {
  find(text: string): KeywordHit[];
  /** How much of `text` is decided whatever follows, code units. @param reading of the held text; changes */
  settled(text: string, reading: TokenReading): number;
};
/** The tokens of a held text, the last of which may go on. JSON. */
export type TokenReading = { tokens: Token[] };
export const newTokenReading = (): TokenReading => ({ tokens: [] });

type Node = { next: Map<string, Node>; keyword?: string };

export function createKeywordMatcher(keywords: readonly string[], wholeWords: boolean): KeywordMatcher {
  const root: Node = { next: new Map() };
  for (const keyword of keywords) addKeyword(root, keyword, tokensOf(keyword.trim(), wholeWords));
  return {
    find: (text) => scan(root, tokensOf(text, wholeWords), false).hits,
    settled(text, reading) {
      readOn(text, reading, wholeWords);
      const { settled } = scan(root, reading.tokens, true);
      reading.tokens = reading.tokens.filter(({ start }) => start >= settled).map((token) => moved(token, -settled));
      return settled;
    },
  };
}

/** The last token is read again, with what has come behind it. */
function readOn(text: string, reading: TokenReading, wholeWords: boolean): void {
  const from = reading.tokens.pop()?.start ?? 0;
  for (const token of tokensOf(text.slice(from), wholeWords)) reading.tokens.push(moved(token, from));
}

const moved = ({ text, start, end }: Token, by: number): Token => ({ text, start: start + by, end: end + by });

function addKeyword(root: Node, keyword: string, tokens: readonly Token[]): void {
  let node = root;
  for (const { text } of tokens) {
    const next: Node = node.next.get(text) ?? { next: new Map() };
    node.next.set(text, next);
    node = next;
  }
  node.keyword = keyword;
}

/** @param growing the last token may go on, and others may follow */
function scan(root: Node, tokens: readonly Token[], growing: boolean): { hits: KeywordHit[]; settled: number } {
  const hits: KeywordHit[] = [];
  const known = growing ? tokens.length - 1 : tokens.length;
  for (let first = 0; first < tokens.length;) {
    const start = tokens[first]?.start ?? 0;
    const { hit, open } = matchAt(root, tokens, first, known);
    if (growing && open) return { hits, settled: start };
    if (hit) hits.push({ keyword: hit.keyword, start, end: tokens[hit.last]?.end ?? start });
    first = hit ? hit.last + 1 : first + 1;
  }
  return { hits, settled: tokens.at(-1)?.end ?? 0 };
}

/** The longest keyword from `first` on; `open` when the tokens that are known do not decide it. */
function matchAt(root: Node, tokens: readonly Token[], first: number, known: number) {
  let node = root;
  let hit: { keyword: string; last: number } | undefined;
  for (let at = first; node.next.size > 0; at++) {
    const token = tokens[at];
    if (at >= known || !token) return { hit, open: true };
    const next = node.next.get(token.text);
    if (!next) break;
    node = next;
    if (node.keyword !== undefined) hit = { keyword: node.keyword, last: at };
  }
  return { hit, open: false };
}
