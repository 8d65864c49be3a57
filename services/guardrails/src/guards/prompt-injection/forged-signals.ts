// Tells signals that honest text has no use for from words that documents contain, too.
import type { GuardHit } from '../../guard/report.ts';

/** Ways to write that documents, code and tables use, too: their signals count as those of plain text. */
const PLAIN_CODES = new Set([
  'markup',
  'literals',
  'letters apart',
  'signs inside',
  'digits for letters',
  'backwards',
  'words backwards',
  'last word first',
]);
/** Marks of chat templates. Documentation shows them without an order next to them. */
const ROLE_MARKS = new Set(['template-role', 'instruction-tag', 'special-token', 'role-line']);
const MIN_ORDER = 2.5;

/**
 * Returns whether the hits of a text contain an encoded or hidden instruction, or a forged role mark with an order.
 * @param hits of the passages above the threshold
 */
export function isForged(hits: readonly GuardHit[]): boolean {
  const isOrder = ({ rule, detail }: GuardHit) => !ROLE_MARKS.has(rule) && Number(detail?.['weight'] ?? 0) >= MIN_ORDER;
  return (
    hits.some((hit) => listCodes(hit).some((code) => !PLAIN_CODES.has(code))) ||
    (hits.some(({ rule }) => ROLE_MARKS.has(rule)) && hits.some(isOrder))
  );
}

function listCodes({ detail }: GuardHit): string[] {
  const codes = detail?.['codes'];
  return Array.isArray(codes) ? codes.filter((code) => typeof code === 'string') : [];
}
