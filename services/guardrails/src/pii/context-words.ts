// The words that make a number personal ("born", "phone", "SSN") or keep it from being so ("version"), and the small words that
// may stand between such a word and its number. Two uses: segments.ts keeps a segment open after them, the detectors look for
// them before a number. What segments.ts takes for a context must include what a detector does.
const openers = new Set(
  (
    'tel mobile cell fax sms handy call dial reach text contact ring ssn social security ' +
    'version ver v release rel build section sect chapter clause paragraph ' +
    'api access auth secret'
  ).split(' '),
);
/** In names such as AWS_SECRET_ACCESS_KEY, userPhone. */
const opening = /phone|telefon|whatsapp|mobile|ssn|social|security|(?:api|access|secret|auth)(?:key|token|secret|$)/;
const connectors = new Set(
  ' is are was at me us him her them on the my our your number no nr num of to now security key token secret'.split(
    ' ',
  ),
);

/** How far after a birth word a date of birth may end, code units. */
export const BIRTH_WINDOW = 64;

/** All of these take a word's letters alone, in lower case. */
export const isOpener = (letters: string): boolean => openers.has(letters) || opening.test(letters);
export const isConnector = (letters: string): boolean => connectors.has(letters);
export const isBirthWord = (letters: string): boolean =>
  /birth|born|dob|geboren|geburt|naissance|nacimiento/.test(letters);

const between = String.raw`(?:[\s_.:#=\-"'|()]|number|num|now|no|nr|is|are|was|at|me|us|him|her|them|on|the|my|our|your|of|to)*`;
const before = (words: string) => new RegExp(`(?:${words})${between}$`, 'i');

/** For the text before a number. */
export const phoneBefore = before(
  String.raw`phone|telefon|whatsapp|(?<![a-z])(?:tel|mobile|cell|fax|sms|handy|call|dial|(?:reach|text|contact|ring)\s+(?:me|us|him|her|them))`,
);
export const socialSecurityBefore = before(String.raw`(?<![a-z])ssn|social[\s_-]*security`);
export const versionBefore = before(
  String.raw`(?<![a-z])(?:version|ver|v|release|rel|build|section|sect|chapter|clause|paragraph)`,
);
export const birthWords =
  /birth[a-z]*|(?<![a-z])(?:born|d\.?o\.?b|geboren|geburts[a-z]*)(?![a-z])|naissance|nacimiento/gi;

/** How far before a number its context is looked for, code units. */
export const CONTEXT_REACH = 48;
export const textBefore = (text: string, at: number): string => text.slice(Math.max(0, at - CONTEXT_REACH), at);
