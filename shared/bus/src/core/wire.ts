// Encodes and decodes messages. Every message is validated at both ends: against the server's limit when it is written,
// against its schema when it is read.
import {
  MillraceError,
  attachTexts,
  findExcess,
  fitsAsIs,
  hasProtoMember,
  isNestedDeeper,
  parseValue,
  type Issue,
  type JsonBounds,
  isStoredByNewer,
  MAX_NESTING,
  REQUEST_BOUNDS,
} from '@millrace/contracts';
import { type Msg, headers, type MsgHdrs } from 'nats';
import type { z } from 'zod';

/** Buffer.from(JSON.stringify(x)) costs half of TextEncoder and string publishes (measured). */
export function encode(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** @throws message-too-large, before anything is sent */
export function encodeWithin(value: unknown, maxPayload: number, subject: string): Buffer {
  const bytes = encode(value);
  if (bytes.length <= maxPayload) return bytes;
  throw createTooLargeError(bytes.length, maxPayload, subject);
}

export function createTooLargeError(bytes: number, limit: number, subject: string): MillraceError {
  return new MillraceError(
    'message-too-large',
    `A message of ${bytes} bytes for ${subject} exceeds the limit of ${limit}.`,
    {
      path: subject,
      remedy: 'Send less text, or send files as references; or raise max_payload on the server.',
    },
  );
}

export type DecodeResult<T> = { ok: T } | { error: MillraceError };

/**
 * `bounds`: of a message from outside of the system; a message of a service has its size and its depth bounded alone.
 * `keepsTexts`: adds the texts of arguments and results, which JSON.parse rounds and respells.
 */
export type JsonReading = { bounds?: JsonBounds | undefined; keepsTexts?: 'request' | 'reply' | undefined };

export function decode<T>(
  data: Uint8Array,
  schema: z.ZodType<T>,
  subject: string,
  reading?: JsonReading,
): DecodeResult<T> {
  return validate(parseJson(data, reading), schema, subject);
}

function validate<T>(json: ParseResult, schema: z.ZodType<T>, subject: string): DecodeResult<T> {
  if ('problem' in json)
    return { error: new MillraceError('message-invalid', `The message on ${subject} ${json.problem}.`) };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- zod would give back an equal value
  if (fitsAsIs(schema, json.value)) return { ok: json.value as T };
  const parsed = parseValue(schema, json.value);
  return 'ok' in parsed ? parsed : { error: createMisfitError(`The message on ${subject}`, parsed.issues) };
}

/** Decodes a stored entry: rejects one that a newer version wrote, valid or not. Code: stored-by-newer. */
export function decodeStored<T>(data: Uint8Array, schema: z.ZodType<T>, subject: string): DecodeResult<T> {
  const json = parseJson(data);
  if ('value' in json && isStoredByNewer(json.value)) return { error: createNewerVersionError(subject) };
  return validate(json, schema, subject);
}

function createNewerVersionError(subject: string): MillraceError {
  return new MillraceError('stored-by-newer', `${subject} was written by a newer version.`, {
    path: subject,
    remedy: 'Run that version: finish the upgrade, or roll it back after the runs that it has started have ended.',
  });
}

/** An only problem is part of the message; of several the message contains the first, and the issues all of them. */
export function createMisfitError(what: string, issues: readonly Issue[]): MillraceError {
  const [first] = issues;
  const more = issues.length > 1 ? ` (the first of ${issues.length} problems)` : '';
  const problem = [first?.path, first?.message].filter((text) => text !== undefined && text !== '').join(' ');
  const details = { path: first?.path, ...(issues.length > 1 && { issues: [...issues] }) };
  return new MillraceError('message-invalid', `${what} does not fit: ${problem}${more}.`, details);
}

/** Result of parsing: JSON within our bounds, or the problem. */
type ParseResult = { value: unknown } | { problem: string };

/**
 * Up to this size a text is parsed before its depth is counted in the value, which costs a sixth; above, deep nesting
 * is rejected before parsing. Bytes.
 */
const COUNTED_IN_VALUE_BYTES = 512 * 1024;

function parseJson(data: Uint8Array, { bounds = DEPTH_ALONE, keepsTexts }: JsonReading = {}): ParseResult {
  const isLarge = data.byteLength > COUNTED_IN_VALUE_BYTES;
  const problem = isLarge || bounds !== DEPTH_ALONE ? findExcess(data, bounds) : undefined;
  if (problem !== undefined) return { problem };
  try {
    const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
    const value: unknown = JSON.parse(text);
    if (!isLarge && isNestedDeeper(value, MAX_JSON_DEPTH))
      return { problem: `is nested more than ${MAX_JSON_DEPTH} deep` };
    if (hasProtoMember(text, value)) return { problem: 'has a member "__proto__"' };
    return { value: keepsTexts ? attachTexts(value, text, keepsTexts) : value };
  } catch (error) {
    return { problem: MillraceError.isInstance(error) ? `is ambiguous: ${error.message}` : 'is not JSON' };
  }
}

/** Marks the reply of a replica that rejects a request because it is full: no handler has read the request. */
export const REJECTED_HEADER = 'Millrace-Rejected';

/** Returns true for the server's own reply to a request without responders. */
export function isNoResponders(message: Msg): boolean {
  return message.data.length === 0 && message.headers?.code === 503;
}

// Bounds parsed JSON before any schema reads it: nesting is limited, because schemas, comparisons and JSON.stringify recurse; and no member may be named `__proto__`, which some copies of an object would set as its prototype.
/** Maximum nesting: a value of maximum depth in a message of ours. */
export const MAX_JSON_DEPTH = MAX_NESTING + 32;
const DEPTH_ALONE: JsonBounds = { depth: MAX_JSON_DEPTH, values: Infinity, members: Infinity };
/** Bounds of a request of a verb: end clients send them over NATS without a gateway. */
export const VERB_BOUNDS: JsonBounds = { ...REQUEST_BOUNDS, depth: MAX_JSON_DEPTH };

export function makeHeaders(values: Readonly<Record<string, string>>): MsgHdrs {
  const made = headers();
  for (const [name, value] of Object.entries(values)) made.set(name, value);
  return made;
}

/** Returns the first value of a header; undefined if the message has none of that name. */
export function readHeader({ headers: given }: Pick<Msg, 'headers'>, name: string): string | undefined {
  return given?.has(name) ? given.get(name) : undefined;
}
