// Whether a string spells a subject or a key of the state bucket. Only contracts/src/subjects.ts may: a subject that is spelt
// twice is one that a server's permissions, or another service, will one day not match.

const kinds = 'stage|session|out|tool|api|chunks|log|events|runs|control|cancel|head|record';

/** A kind of subject after a prefix; or at the start, with more after it than the one token of `log.level` or `events.ts`. */
const subject = new RegExp(String.raw`^\$\{\}\.(${kinds})\.|^(${kinds})\.(\$\{\}|[*>]|[\w-]+\.)`);
const prefix = /\bmr\.v\d/;

/** `text` as in SourceFacts: a template's values are written `${}`. */
export function spellsSubject(text: string): boolean {
  return prefix.test(text) || subject.test(text);
}
