// Tells personal numbers from identifiers, by one notion of both for all detectors: a number is personal if its form is
// that of its kind alone (a plus sign, the printed groups of a card), or if a word of its kind is near. Numbers inside a
// code, an ARN or a row of numbers, and numbers under a name such as "id" or "sku", are identifiers.
import { isIdentifierBefore, readNearWord, takeTextBefore, type NumberKind } from './context-words.ts';
import type { DigitGroup } from './digit-runs.ts';
import { isInUuid } from './detectors/identifiers.ts';
import type { PiiHit, PiiSegment } from './pii-types.ts';

/** Returns the hits that are personal, each with the start of the word that makes it so. */
export function keepPersonal(segment: PiiSegment, hits: readonly PiiHit[]): PiiHit[] {
  const cards = hits.filter((hit) => hit.type === 'card' && isPrinted(segment.text, hit));
  const numbers = hits.filter(({ type }) => type === 'ssn');
  return hits.flatMap((hit) => {
    switch (hit.type) {
      case 'card':
        return keepCard(segment, hit, cards);
      case 'phone':
        return keepPhone(segment, hit);
      case 'ssn':
        return isInUuid(segment.text, hit) || (isSpaced(segment.text, hit) && isInRow(segment, hit, numbers))
          ? []
          : [hit];
      case 'iban':
        return isInUuid(segment.text, hit) ? [] : [hit];
      default:
        return [hit];
    }
  });
}

/** Returns whether columns may separate the groups of the value. */
const isSpaced = (text: string, { start, end }: PiiHit): boolean => / /.test(text.slice(start, end));

/** Groups with the separators of a printed card, and no others. */
const printed = /^\d{4}([ -]|\u00a0)(?:\d{4}\1\d{4}\1\d{1,4}(?:\1\d{1,3})?|\d{6}\1\d{4,5})$/;
const issuer = /^(?:4|5|2[2-7]|3[04-9]|6)/;

function keepCard(segment: PiiSegment, hit: PiiHit, cards: readonly PiiHit[]): PiiHit[] {
  const { text } = segment;
  if (isInCode(text, hit, 'card')) return [];
  const near = readNearWord('card', text, hit);
  if (near !== undefined) return isIdentifierBefore(takeTextBefore(text, hit.start)) ? [] : [withContext(hit, near)];
  // Cards of a list, not sixteen columns of a table.
  const listed = cards.filter(({ start, end }) =>
    /[\n,;]/.test(text.slice(Math.min(end, hit.end), Math.max(start, hit.start))),
  );
  return isPrinted(text, hit) && !isInRow(segment, hit, listed) ? [hit] : [];
}

function isPrinted(text: string, { start, end }: PiiHit): boolean {
  const found = text.slice(start, end);
  return printed.test(found) && issuer.test(found);
}

const dotted = /^(?:1\.)?[2-9]\d\d\.\d{3}\.\d{4}$/;

function keepPhone(segment: PiiSegment, hit: PiiHit): PiiHit[] {
  const { text } = segment;
  if (isInCode(text, hit, 'phone') || isIdentifierBefore(takeTextBefore(text, hit.start))) return [];
  if (hit.contextStart !== undefined) return [hit];
  const found = text.slice(hit.start, hit.end);
  if (/^[+(]/.test(found)) return [hit];
  const near = readNearWord('phone', text, hit);
  if (near !== undefined) return [withContext(hit, near)];
  return dotted.test(found) && !isInRow(segment, hit, []) ? [hit] : [];
}

const withContext = (hit: PiiHit, near: number): PiiHit => ({
  ...hit,
  contextStart: Math.min(near, hit.contextStart ?? hit.start),
});

const codeBefore = /[\p{L}\d_-]{1,80}$/u;
const codeAfter = /^[\p{L}\d_-]{1,80}/u;
/** Scripts that write no spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const arn = /arn:[a-z-]{2,20}:[^\s"']{0,160}$/i;

/** Returns whether the value is a part of a longer code: a hash, an id of a provider, a UUID, an ARN. */
function isInCode(text: string, { start, end }: PiiHit, kind: NumberKind): boolean {
  if (isInUuid(text, { start, end }) || arn.test(text.slice(Math.max(0, start - 200), start))) return true;
  const before = codeBefore.exec(text.slice(Math.max(0, start - 80), start))?.[0] ?? '';
  const after = codeAfter.exec(text.slice(end, end + 80))?.[0] ?? '';
  const code = `${before} ${after}`;
  return (
    /\p{L}/u.test(code) &&
    !unspaced.test(code) &&
    readNearWord(kind, code, { start: code.length, end: 0 }) === undefined
  );
}

const month = /^(?:0[1-9]|1[0-2])$/;
const shortYear = /^(?:20)?[2-5]\d$/;
const itemNumber = /^\d{1,2}$/;

/** Returns whether further numbers are next to the value, other than further values, an item's number, an expiry date and a check code. */
function isInRow({ looseRuns }: PiiSegment, hit: PiiHit, values: readonly PiiHit[]): boolean {
  const run = looseRuns.find(({ groups }) => groups.some(({ start }) => start >= hit.start && start < hit.end));
  if (!run) return false;
  const others = run.groups.filter(({ start }) =>
    [hit, ...values].every((one) => start < one.start || start >= one.end),
  );
  const before = others.filter(({ start }) => start < hit.start);
  const after = others.filter(({ start }) => start >= hit.end);
  const rest = isExpiry(after) ? after.slice(2) : after;
  return !(
    isItemNumber(before, run.groups) &&
    (rest.length === 0 || (rest.length < after.length && rest.length === 1))
  );
}

const isExpiry = ([first, second]: readonly DigitGroup[]): boolean =>
  first !== undefined && second !== undefined && month.test(first.digits) && shortYear.test(second.digits);

/** "1. 4111 1111 1111 1111" */
function isItemNumber(before: readonly DigitGroup[], groups: readonly DigitGroup[]): boolean {
  if (before.length === 0) return true;
  const next = groups[before.length];
  return before.length === 1 && itemNumber.test(before[0]?.digits ?? '') && /^[.)] /.test(next?.gap ?? '');
}
