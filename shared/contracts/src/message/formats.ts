// Formats of patterns in options, which `agents apply` checks, so that a run does not fail at a bad regular expression and
// a guard names only tools of the agent; and formats of members that are structure and not text.
import { isLabel } from './label.ts';
import { isKnownMediaType } from '../base/media-types.ts';

/** A pattern of RE2. */
export const RE2_FORMAT = 're2';
/** A pattern of RE2 for streamed text: a part of a stream has no known start or end. */
export const RE2_UNANCHORED_FORMAT = 're2-unanchored';

/** The name of a tool, a prefix with `*`, or `*` for every tool. */
export const TOOL_NAME_FORMAT = 'tool-name';

export const matchesToolName = (patterns: readonly string[], name: string): boolean =>
  patterns.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name));

/** Returns whether the pattern has `^`, `$`, `\A` or `\z` outside of a class. */
export function hasAnchor(source: string): boolean {
  const withoutEscapes = source.replace(/\\[^]/g, (escape) => (/[Az]/.test(escape.charAt(1)) ? '^' : ''));
  return /[\^$]/.test(withoutEscapes.replace(/\[\^?\]?[^\]]*\]/g, ''));
}

/** Printable ASCII, as in the ids of threads. */
const PRINTABLE = /^[\x21-\x7e]{1,200}$/;
/** Data of a provider in base64, which only the provider reads. */
const OPAQUE = /^[\w.:+/=-]*$/;
/** Guards skip structure, so a value of another form is text. */
const FORMATS: Readonly<Record<string, RegExp>> = {
  createdAt: /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/,
  toolCallId: /^\S{1,256}$/,
  id: PRINTABLE,
  threadId: PRINTABLE,
  resourceId: PRINTABLE,
  sourceType: /^(?:url|document)$/,
  encryptedContent: OPAQUE,
  reasoningEncryptedContent: OPAQUE,
  redactedData: OPAQUE,
  signature: OPAQUE,
};
/** The form of a media type. A type that is not known is judged as text. */
const MEDIA_TYPE = /^[\w.+-]{1,64}\/[\w.+*-]{1,80}(?:; ?[\w-]{1,32}="?[\w.-]{1,64}"?){0,4}$/;

export const hasMediaTypeFormat = (value: string): boolean => MEDIA_TYPE.test(value);

/** The alphabet that the model's client uses for bytes, and that of URLs. */
const OTHER_THAN_BASE64 = /[^A-Za-z0-9+/_-]/;
/** The model's client takes such data for the id of a file that the operator has stored at the provider. */
const STORED_FILE = /^file-/;

/** Returns whether the text is bytes in base64, and no id of a stored file, which guards could not read. */
export function isBase64(data: string): boolean {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  // A pattern of the whole text would fill the stack of the engine with one position for each of millions of characters.
  return (
    data.length > padding && !STORED_FILE.test(data) && !OTHER_THAN_BASE64.test(data.slice(0, data.length - padding))
  );
}

/** A name or a state, such as that of a model. */
const NAME = /^[\w.:/@+-]{0,128}$/;
const ID = /^[\w.:-]{1,256}$/;

/** Returns whether the value has the form of an id or of a tool's name. */
export const hasIdFormat = (value: unknown): boolean => typeof value === 'string' && ID.test(value);

/** Returns whether the value has the form of its member: a date, a known media type, an id, a label, or a short name. */
export function hasStructureFormat(name: string, value: unknown): boolean {
  if (name === 'label') return isLabel(value);
  if (name === 'mimeType') return isKnownMediaType(value);
  return typeof value !== 'string' || (FORMATS[name] ?? NAME).test(value);
}

/** Returns an example of the format, for errors; undefined if the member has none. */
export const findStructureExample = (name: string): string | undefined =>
  ({
    id: 'message_1',
    threadId: 'thread_1',
    resourceId: 'user_1',
    createdAt: '2026-01-31T12:00:00.000Z',
    mimeType: 'image/png',
    toolCallId: 'call_1',
  })[name];
