// Detects strings that spell a subject or a key of the state bucket. Only contracts/src/subjects.ts can: a second
// spelling would stop matching a server's permissions, or another service, after a change.

const kinds = 'stage|session|out|tool|api|chunks|log|events|runs|control|cancel|head|record';

/**
 * A kind of subject after a prefix; or at the start, followed by more than the one token of `log.level` or `events.ts`.
 */
const subject = new RegExp(String.raw`^\$\{\}\.(${kinds})\.|^(${kinds})\.(\$\{\}|[*>]|[\w-]+\.)`);
const prefix = /\bmr\.v\d/;

/** `text` as in SourceFacts: values of a template are written `${}`. */
export function hasSubjectLiteral(text: string): boolean {
  return prefix.test(text) || subject.test(text);
}
