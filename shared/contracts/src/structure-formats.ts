// Formats of members that are structure and not text. Guards skip structure, so a value of another form is text.
import { isLabel } from './label.ts';

const FORMATS: Readonly<Record<string, RegExp>> = {
  createdAt: /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/,
  mimeType: /^[\w.+-]{1,64}\/[\w.+*-]{1,64}(?:; ?[\w-]{1,32}="?[\w.-]{1,64}"?){0,4}$/,
  toolCallId: /^\S{1,256}$/,
};
const WITHOUT_SPACE = /^\S*$/;

/** Returns whether the value has the form of its member: a date, a media type, an id, a label, or a name without white space. */
export function hasStructureFormat(name: string, value: unknown): boolean {
  if (name === 'label') return isLabel(value);
  return typeof value !== 'string' || (FORMATS[name] ?? WITHOUT_SPACE).test(value);
}

/** Returns an example of the format, for errors; undefined if the member has none. */
export const findStructureExample = (name: string): string | undefined =>
  ({ id: 'message_1', createdAt: '2026-01-31T12:00:00.000Z', mimeType: 'image/png', toolCallId: 'call_1' })[name];
