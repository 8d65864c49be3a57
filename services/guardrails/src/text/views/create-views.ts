// Creates the views of a text: the plain text, the text without markup and escapes, its joined literals, and its
// decoded forms, each recursively. Every view maps back to the source. All views share a budget; if it is exceeded, the
// caller blocks the text with the bound's rule.
import { compatibleForms, hasCompatibleForm, toPlainForm } from '../compatible-forms.ts';
import { decodeText } from './decodings.ts';
import { undisguise } from './disguises.ts';
import { chainViews, type DerivedText, copyText, joinSlices, replaceMatches } from './derived-text.ts';
import { decodeHidden, removeInvisible } from './invisible.ts';
import { removeMarkup } from './markup.ts';
import { scanText, type ScannedText } from './scanned-text.ts';
import type { TextSpan } from '../span.ts';
import { surveyText } from './survey.ts';

/** `codes`: encodings from the outermost in; empty for the plain text. */
export type TextView = DerivedText & { codes: readonly string[]; scanned: ScannedText };

/** Maximum nesting of encodings. */
const MAX_DEPTH = 3;

/** Disguises in which word boundaries and spelling are uncertain. */
const DISGUISES = new Set([
  'letters apart',
  'signs inside',
  'digits for letters',
  'backwards',
  'words backwards',
  'last word first',
]);
export const isDisguised = ({ codes }: TextView): boolean => codes.some((code) => DISGUISES.has(code));

/** @param spend called with the length of every view; throws if the budget is exceeded */
export function createViews(text: string, spend: (characters: number) => void): TextView[] {
  const views: TextView[] = [];
  const seen = new Set<string>();
  const add = ({ text: own, toSourceSpan }: DerivedText, codes: readonly string[]): void => {
    if (own === '' || seen.has(own)) return;
    spend(own.length);
    seen.add(own);
    const view = { text: own, toSourceSpan, codes, scanned: scanText(own) };
    views.push(view);
    if (codes.length >= MAX_DEPTH) return;
    for (const [code, derived] of deriveTexts(view)) add(chainViews(view, derived), [...codes, code]);
  };
  if (isAscii(text)) add(copyText(text), []);
  else {
    add(readForms(removeInvisible(text)), []);
    for (const [code, derived] of decodeHidden(text)) add(derived, [code]);
  }
  return views;
}

// oxlint-disable-next-line no-control-regex -- the range of ASCII begins with control characters
const isAscii = (text: string): boolean => !/[^\x00-\x7f]/.test(text);

/** Reads the characters of other fonts as plain ones. */
function readForms(visible: DerivedText): DerivedText {
  if (!hasCompatibleForm(visible.text)) return visible;
  return chainViews(
    visible,
    replaceMatches(visible.text, compatibleForms, ({ 0: found }) => toPlainForm(found)),
  );
}

function* deriveTexts({ text, codes, scanned }: TextView): Generator<readonly [code: string, derived: DerivedText]> {
  const marks = surveyText(scanned);
  const last = codes.at(-1) ?? '';
  const isUndisguised = DISGUISES.has(last);
  if (!isUndisguised) yield ['markup', removeMarkup(text)];
  // Removing markup does not change a text's literals.
  if (!isUndisguised && last !== 'markup' && last !== 'literals') yield ['literals', joinLiterals(text)];
  if (!codes.some((code) => DISGUISES.has(code))) yield* undisguise(scanned, marks);
  yield* decodeText(scanned, marks);
}

const literal = /"([^"\n\\]{0,2000})"|'([^'\n\\]{0,2000})'|`([^`\n]{0,2000})`|\u201c([^\u201c\u201d\n]{0,2000})\u201d/g;
const MIN_LITERALS = 2;

/**
 * Joins the quoted parts of a text without separators, because an attack may be split into quoted pieces, even inside a
 * word.
 */
function joinLiterals(text: string): DerivedText {
  const spans: TextSpan[] = [];
  for (const { 0: found, index } of text.matchAll(literal)) {
    if (found.length > 2) spans.push({ start: index + 1, end: index + found.length - 1 });
  }
  return spans.length < MIN_LITERALS ? copyText('') : joinSlices(text, spans, '');
}
