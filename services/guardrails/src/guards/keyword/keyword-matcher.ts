// Finds keywords in tokens from left to right, the longest first. For a streamed text it also returns the settled
// length: the start of the first keyword that is still incomplete.
import type { TextSpan } from '../../text/span.ts';
import { tokenize, type KeywordToken } from './tokens.ts';

type KeywordHit = TextSpan & { keyword: string };
export type KeywordMatcher = {
  find(text: string): KeywordHit[];
  /**
   * Returns the length of the prefix that no later text can change, in code units. @param reading of the buffered text;
   * changed
   */
  findSettledEnd(text: string, reading: TokenReading): number;
};
/** Tokens of a buffered text; the last one may continue. JSON. */
export type TokenReading = { tokens: KeywordToken[] };
export const createTokenReading = (): TokenReading => ({ tokens: [] });

type TokenNode = { next: Map<string, TokenNode>; keyword?: string };

export function createKeywordMatcher(keywords: readonly string[], wholeWords: boolean): KeywordMatcher {
  const root: TokenNode = { next: new Map() };
  for (const keyword of keywords) addKeyword(root, keyword, tokenize(keyword.trim(), wholeWords));
  return {
    find: (text) => scanTokens(root, tokenize(text, wholeWords), false).hits,
    findSettledEnd(text, reading) {
      readAppended(text, reading, wholeWords);
      const { settled } = scanTokens(root, reading.tokens, true);
      reading.tokens = reading.tokens
        .filter(({ start }) => start >= settled)
        .map((token) => shiftToken(token, -settled));
      return settled;
    },
  };
}

/** Reads the tokens of the last run again together with the appended text. */
function readAppended(text: string, reading: TokenReading, wholeWords: boolean): void {
  const last = reading.tokens.at(-1);
  const from = Math.max(0, last?.run ?? 0);
  reading.tokens = reading.tokens.filter(({ run }) => run !== last?.run);
  for (const token of tokenize(text.slice(from), wholeWords)) reading.tokens.push(shiftToken(token, from));
}

const shiftToken = ({ text, start, end, run }: KeywordToken, by: number): KeywordToken => ({
  text,
  start: start + by,
  end: end + by,
  run: run + by,
});

function addKeyword(root: TokenNode, keyword: string, tokens: readonly KeywordToken[]): void {
  let node = root;
  for (const { text } of tokens) {
    const next: TokenNode = node.next.get(text) ?? { next: new Map() };
    node.next.set(text, next);
    node = next;
  }
  node.keyword = keyword;
}

/** @param growing the last run may continue, and others may follow */
function scanTokens(
  root: TokenNode,
  tokens: readonly KeywordToken[],
  growing: boolean,
): { hits: KeywordHit[]; settled: number } {
  const hits: KeywordHit[] = [];
  const last = tokens.at(-1);
  const known = growing ? tokens.findIndex(({ run }) => run === last?.run) : tokens.length;
  for (let first = 0; first < tokens.length;) {
    const start = tokens[first]?.start ?? 0;
    const { hit, open } = matchAt(root, tokens, first, known);
    if (growing && open) return { hits, settled: start };
    if (hit) hits.push({ keyword: hit.keyword, start, end: tokens[hit.last]?.end ?? start });
    first = hit ? hit.last + 1 : first + 1;
  }
  return { hits, settled: tokens.at(-1)?.end ?? 0 };
}

/** Returns the longest keyword that starts at `first`; `open` if the known tokens do not decide. */
function matchAt(root: TokenNode, tokens: readonly KeywordToken[], first: number, known: number) {
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
