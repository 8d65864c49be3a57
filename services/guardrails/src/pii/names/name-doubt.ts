// Whether a text may hold a name or an address at all, by its form: a model need not be asked about one that cannot. Any capitalized
// word may be one, but for those that sentences begin with; where a script has no capitals, any text. A name in small letters is
// missed here unless a word before it says that one comes.
const capitalized = /\p{Lu}[\p{Ll}\p{M}][\p{L}\p{M}’']*/gu;
const uncased = /\p{Lo}/u;

const STARTERS = new Set(
  (
    'the this that these those there here it its they we you he she what which who whose when where why how is are was were am do does ' +
    'did can could would should will may might must have has had please thanks thank hello hey ok okay yes no not sorry and or but if ' +
    'then so because while after before also now next first finally all some any each every many most in on at by for with without ' +
    'from to of as a an my your our their his her i let use make give tell show find get go see note write list explain summarize'
  ).split(' '),
);

/** Words that come before names and addresses, for texts without capitals. */
const CUES =
  /(?<!\p{L})(?:name|named|called|mr|mrs|ms|dr|herr|frau|señora?|monsieur|madame|signora?|i am|i'm|i’m|ich bin|heiße|heisse|je suis|me llamo|soy|sono|chiamo|live|lives|living|wohne|wohnt|habite|vivo|abito|street|road|avenue|lane|straße|strasse|platz|rue|calle|via|piazza|apartment|flat|zip|postcode|plz|dear|regards|sincerely)(?!\p{L})/iu;

export function mayHoldNames(text: string): boolean {
  if (uncased.test(text) || CUES.test(text)) return true;
  for (const [word] of text.matchAll(capitalized)) if (!STARTERS.has(word.toLowerCase())) return true;
  return false;
}
