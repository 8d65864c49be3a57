// Finds credentials of this process in texts of a server that may echo its request.

/** Minimum length of a credential that is searched for, in code units. Shorter values occur in ordinary texts. */
const MIN_CREDENTIAL = 8;
const HIDDEN = '(hidden credential)';

/** Returns the forms in which a text may hold the values: each value, its words, and both as in a JSON string. Longest first. */
function listForms(values: readonly string[]): string[] {
  const words = values.flatMap((value) => [value, ...value.split(/\s+/)]);
  const forms = words.flatMap((word) => [word, JSON.stringify(word).slice(1, -1)]);
  return [...new Set(forms)].filter(({ length }) => length >= MIN_CREDENTIAL).toSorted((a, b) => b.length - a.length);
}

export const containsCredential = (text: string, values: readonly string[]): boolean =>
  listForms(values).some((form) => text.includes(form));

export const hideCredentials = (text: string, values: readonly string[]): string =>
  listForms(values).reduce((hidden, form) => hidden.replaceAll(form, HIDDEN), text);
