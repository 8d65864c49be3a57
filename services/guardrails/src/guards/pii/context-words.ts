// Words that make a number personal ("born", "phone", "SSN") or impersonal ("version"), and the small words allowed
// between such a word and its number. pii-segments.ts keeps a segment open after these words; the detectors search for
// them before a number. The words that keep a segment open must include all words of the detectors.
import type { TextSpan } from '../../text/span.ts';

/** Words that may precede a phone number in the same sentence. Prefixes, lower case, letters only. */
const PHONE_WORDS =
  'telephone|phone|telefon|téléphone|telefono|teléfono|telefoon|telefone|telemóvel|celular|móvil|mobil|cellulare|portable|' +
  'handy|whatsapp|telegram|fax|hotline|puhelin|рабочий|телефон|моб|τηλ|κιν|هاتف|جوال|फ़ोन|फोन|मोबाइल|電話|电话|手机|手機|携帯|휴대폰|전화';
/** Words that a phone number must follow directly, with only small words between. */
const CALL_WORDS =
  'tel|cell|mob|sms|call|dial|reach|text|contact|ring|anruf|anrufen|appeler|appelez|llame|llamar|chiama|тел|messages';

/** Words near which a number in the form of a phone number is one. */
const PHONE_NEAR = stripMarks(
  `${PHONE_WORDS}|(?<![a-z])(?:${CALL_WORDS}|phoning|tél|télé|calls?|calling|ringing|texting|dialing|extension|voicemail|landline|sim|number|emergency|` +
    'ruf|erreichbar|rückruf|durchwahl|numéro|joindre|joignable|número|marque|llám|localizar|numero|recapito|chiam|ligar|ligue|contato|contacto|contatto|kontakt|bel|bellen|bereik|nummer|dzwoń|dzwonić|kom|numer|nås|ringa|ring)' +
    '|звон|номер|набер|رقم|اتصل|اتصال|番号|連絡|联系|联络|致电|拨打|号码|연락|번호|फ़ोन|नंबर|τηλέφωνο|טלפון|נייד|โทร',
);
/** Words near which a number in the form of a card is one. */
const CARD_NEAR = stripMarks(
  '(?<![a-z])(?:cards?(?![a-hj-z])|card_?(?:no|num)|visa|master ?card|amex|american express|maestro|discover(?![a-z])|diners|jcb|union ?pay|credit|debit|pay(?!load)|paid|charged?|billing|billed|cvv|cvc|pan(?![a-z])|' +
    'cc(?![a-z])|ccnum|kredit|karte|carte|bancaire|tarjeta|cart[aã]o|carta|kaart|karta|karty|kort|kartı)|(?:credit|debit|bank|kredit)_?(?:card|karte)|card ?(?:number|no)|карт|カード|卡|카드|कार्ड|কার্ড|بطاقة|כרטיס|บัตร',
);

/** Removes combining marks, which the view of a text does not have. */
function stripMarks(words: string): string {
  return words.replace(/\p{M}/gu, '');
}

export type NumberKind = 'phone' | 'card';
const nearWords: Record<NumberKind, RegExp> = {
  phone: new RegExp(PHONE_NEAR, 'giu'),
  card: new RegExp(CARD_NEAR, 'giu'),
};
/** Maximum distance between such a word and the start of its number, in code units. */
export const NEAR_WINDOW = 48;
const nearWord = new RegExp(`${PHONE_NEAR}|${CARD_NEAR}`, 'iu');
/** Returns whether a number near the word may be personal. @param word lower case */
export const isNearWord = (word: string): boolean => nearWord.test(word);

const nearAfter: Record<NumberKind, RegExp> = {
  phone: new RegExp(
    `^[\\s,;:)("'.-]{0,4}(?:${stripMarks(PHONE_WORDS)}|(?:office|mobile|cell|tel|home|work|landline|direct)\\b)`,
    'iu',
  ),
  card: new RegExp(`^[\\s,;:)("'.-]{0,4}(?:${CARD_NEAR}|(?:exp|valid|gültig|expir|vence|scad))`, 'iu'),
};

/** Returns the start of the nearest word of the kind before the number, or the number's start if one follows it. */
export function readNearWord(kind: NumberKind, text: string, { start, end }: TextSpan): number | undefined {
  const from = Math.max(0, start - NEAR_WINDOW - MAX_NEAR_WORD);
  const last = [...text.slice(from, start).matchAll(nearWords[kind])].at(-1);
  if (last && start - from - last.index - last[0].length <= NEAR_WINDOW) return from + last.index;
  return end > 0 && nearAfter[kind].test(text.slice(end, end + NEAR_WINDOW)) ? start : undefined;
}
/** Length of the longest of these words. */
const MAX_NEAR_WORD = 24;

const phoneStart = new RegExp(`(?:${PHONE_WORDS})`);
const openers = new Set(
  (
    `${CALL_WORDS.replaceAll('|', ' ')} registered my our his her their ssn social security ` +
    'version ver v release rel build section sect chapter clause paragraph oid ' +
    'invoice order ticket ref reference tracking case imei serial isbn account ' +
    'id ids sku ean upc gtin asin part parts item article product model lot batch parcel shipment waybill ' +
    'api access auth secret'
  ).split(' '),
);
/** Parts of names such as AWS_SECRET_ACCESS_KEY or userPhone. */
const opening = /ssn|social|security|(?:api|access|secret|auth)(?:key|token|secret|$)/;
const connectors = new Set(
  ' is are was at you me us him her them on the my our your number numbers no nr num of to now under via security key token secret'.split(
    ' ',
  ),
);

/** Maximum distance between a birth word and the end of a date of birth, in code units. */
export const BIRTH_WINDOW = 64;
/** Maximum distance between a phone word and the start of a number. */
export const PHONE_WINDOW = 40;

/** These functions take the letters of a word, in lower case. */
export const isOpener = (letters: string): boolean => openers.has(letters) || opening.test(letters);
export const isConnector = (letters: string): boolean => connectors.has(letters);
export const isPhoneWord = (letters: string): boolean => phoneStart.test(letters);
export const isBirthWord = (letters: string): boolean =>
  /birth|born|dob|geboren|geburt|naissance|nacimiento/.test(letters);

const between = String.raw`(?:[\s_.:#=\-"'|()*+]|numbers|number|num|now|nos?|nr|is|are|was|at|you|me|us|him|her|them|on|the|my|our|your|of|to|under|via)*`;
const matchBefore = (words: string) => new RegExp(`(?:${words})${between}$`, 'i');

const callBefore = matchBefore(
  String.raw`(?<![a-z])(?:tel|cell|mob|sms|dial|тел|registered|(?:my|our|his|her|their)\s+number\s+is|messages\s+to|anruf(?:en)?|appele[rz]|llam[ae]r?|chiama|call(?=\s+$)|(?:call|reach|text|contact|ring)(?:\s+(?:you|me|us|him|her|them|on|at|my)|\s*:))`,
);
/** Neither a digit nor the end of a sentence is between them. */
const nameBefore = new RegExp(String.raw`(?:${PHONE_WORDS})[^\d!?]{0,${PHONE_WINDOW}}$`, 'i');
const sentenceEnd = /[a-z]{2}\. +[A-Z]/;

/** Returns whether the text before a number makes it a phone number. */
export function isPhoneBefore(text: string): boolean {
  if (callBefore.test(text)) return true;
  const found = nameBefore.exec(text)?.[0];
  return found !== undefined && !sentenceEnd.test(found);
}
/** Text after a number that makes it a phone number: "(office)", "fax". */
export const phoneAfter = /^[\s,)]{0,2}[(]?(?:office|fax|mobile|cell|phone|tel|home|work|landline|direct)\b/i;
export const socialSecurityBefore = matchBefore(String.raw`(?<![a-z])ssn|social[\s_-]*security`);
export const versionBefore = matchBefore(
  String.raw`(?<![a-z])(?:version|ver|v|release|rel|build|section|sect|chapter|clause|paragraph|oid)`,
);
/** Returns whether the text before a number makes it a count, which belongs to no person. */
export const isCountedBefore = (text: string): boolean => counted.test(text);
const counted = matchBefore(
  String.raw`(?<![a-z])(?:invoice|order|ticket|ref|reference|tracking|case|imei|serial|isbn|account)`,
);
/** Returns whether the text before a number names it as an identifier: "sku: ", `"order_id": `, "part no. ". */
export const isIdentifierBefore = (text: string): boolean => identifier.test(text);
const identifier = matchBefore(
  String.raw`(?<![a-z])(?:[a-z]{1,20}[_-])?(?:ids?|skus?|ean|upc|gtin|asin|isbn|imei|part|item|article|product|model|lot|batch|parcel|shipment|waybill|tracking|order|invoice|ticket|serial)(?:[ _-]?(?:no|nr|num|number|code|id))?|(?<=[a-z])(?-i:Id|ID|Sku|Ean)`,
);
export const birthWords =
  /birth[a-z]*|(?<![a-z])(?:born|d\.?o\.?b|geboren|geburts[a-z]*)(?![a-z])|naissance|nacimiento/gi;

/** Length of the context before a number, in code units. */
export const CONTEXT_REACH = 56;
export const takeTextBefore = (text: string, at: number): string => text.slice(Math.max(0, at - CONTEXT_REACH), at);
