// Words that make a number personal ("born", "phone", "SSN") or impersonal ("version"), and the small words allowed
// between such a word and its number. pii-segments.ts keeps a segment open after these words; the detectors search for
// them before a number. The words that keep a segment open must include all words of the detectors.

/** Words that may precede a phone number in the same sentence. Prefixes, lower case, letters only. */
const PHONE_WORDS =
  'telephone|phone|telefon|téléphone|telefono|teléfono|telefoon|telefone|telemóvel|celular|móvil|mobil|cellulare|portable|' +
  'handy|whatsapp|telegram|fax|hotline|puhelin|рабочий|телефон|моб|τηλ|κιν|هاتف|جوال|फ़ोन|फोन|मोबाइल|電話|电话|手机|手機|携帯|휴대폰|전화';
/** Words that a phone number must follow directly, with only small words between. */
const CALL_WORDS =
  'tel|cell|mob|sms|call|dial|reach|text|contact|ring|anruf|anrufen|appeler|appelez|llame|llamar|chiama|тел|messages';

const phoneStart = new RegExp(`(?:${PHONE_WORDS})`);
const openers = new Set(
  (
    `${CALL_WORDS.replaceAll('|', ' ')} registered my our his her their ssn social security ` +
    'version ver v release rel build section sect chapter clause paragraph oid ' +
    'invoice order ticket ref reference tracking case imei serial isbn account ' +
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
export const birthWords =
  /birth[a-z]*|(?<![a-z])(?:born|d\.?o\.?b|geboren|geburts[a-z]*)(?![a-z])|naissance|nacimiento/gi;

/** Length of the context before a number, in code units. */
export const CONTEXT_REACH = 56;
export const takeTextBefore = (text: string, at: number): string => text.slice(Math.max(0, at - CONTEXT_REACH), at);
