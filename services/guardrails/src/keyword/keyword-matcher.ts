// Finds any of many keywords in tokens, from left to right, the longest first, and says how far a text that still comes in is
// decided: up to where a keyword may have begun that has not ended.
import type { Span } from '../text/span.ts';
import { tokensOf, type Token } from './tokens.ts';

type KeywordHit = Span & { keyword: string };
export type KeywordMatcher = {
  find(text: string): KeywordHit[];
  /** How much of `text` is decided whatever follows, code units. */
  settled(text: string): number;
};

type Node = { next: Map<string, Node>; keyword?: string };

export function createKeywordMatcher(keywords: readonly string[], wholeWords: boolean): KeywordMatcher {
  const root: Node = { next: new Map() };
  for (const keyword of keywords) addKeyword(root, keyword, tokensOf(keyword.trim(), wholeWords));
  return {
    find: (text) => scan(root, tokensOf(text, wholeWords), false).hits,
    settled: (text) => scan(root, tokensOf(text, wholeWords), true).settled,
  };
}

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
