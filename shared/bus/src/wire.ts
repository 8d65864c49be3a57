// Bytes on the wire and back. Every message is checked at both ends: what is written against the server's limit, what is read
// against its schema.
import {
  MillraceError,
  fitsAsIs,
  hasProtoMember,
  isNestedDeeper,
  issuesOf,
  type Issue,
  isStoredByNewer,
} from '@millrace/contracts';
import type { Msg } from 'nats';
import { MAX_JSON_DEPTH, isTooDeep } from './json-bounds.ts';
import type { z } from 'zod';

/** Buffer.from(JSON.stringify(x)) costs half of what TextEncoder and string publishes do (measured). */
export function encode(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** @throws message-too-large, before anything is sent */
export function encodeWithin(value: unknown, maxPayload: number, subject: string): Buffer {
  const bytes = encode(value);
  if (bytes.length <= maxPayload) return bytes;
  throw tooLarge(bytes.length, maxPayload, subject);
}

export function tooLarge(bytes: number, limit: number, subject: string): MillraceError {
  return new MillraceError(
    'message-too-large',
    `A message of ${bytes} bytes for ${subject} is over the limit of ${limit}.`,
    {
      path: subject,
      remedy: 'Send less text, or send files as references; or raise max_payload on the server.',
    },
  );
}

export type Decoded<T> = { ok: T } | { error: MillraceError };

export function decode<T>(data: Uint8Array, schema: z.ZodType<T>, subject: string): Decoded<T> {
  const json = parseJson(data);
  if ('problem' in json)
    return { error: new MillraceError('message-invalid', `The message on ${subject} ${json.problem}.`) };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- zod would give back an equal value
  if (fitsAsIs(schema, json.value)) return { ok: json.value as T };
  const parsed = schema.safeParse(json.value);
  if (parsed.success) return { ok: parsed.data };
  return { error: misfit(`The message on ${subject}`, issuesOf(parsed.error)) };
}

/** The same for a stored entry: one that a newer version wrote is not read, whether it would fit or not. Code: stored-by-newer. */
export function decodeStored<T>(data: Uint8Array, schema: z.ZodType<T>, subject: string): Decoded<T> {
  const json = parseJson(data);
  if ('value' in json && isStoredByNewer(json.value)) return { error: storedByNewer(subject) };
  return decode(data, schema, subject);
}

function storedByNewer(subject: string): MillraceError {
  return new MillraceError('stored-by-newer', `${subject} was written by a newer version.`, {
    path: subject,
    remedy: 'Run that version: finish the upgrade, or undo it only when the runs that it has begun are over.',
  });
}

/** One problem stands in the message itself; of several the message names the first, and the issues are all of them. */
export function misfit(what: string, issues: readonly Issue[]): MillraceError {
  const [first] = issues;
  const more = issues.length > 1 ? ` (the first of ${issues.length} problems)` : '';
  const problem = [first?.path, first?.message].filter((text) => text !== undefined && text !== '').join(' ');
  const details = { path: first?.path, ...(issues.length > 1 && { issues: [...issues] }) };
  return new MillraceError('message-invalid', `${what} does not fit: ${problem}${more}.`, details);
}

/** Why the bytes are not read; undefined: they are JSON within our bounds. */
type Parsed = { value: unknown } | { problem: string };

/** Up to here a text is parsed before its depth is counted in the value, which costs a sixth; above, nothing deep is even made. Bytes. */
const COUNTED_IN_VALUE_BYTES = 512 * 1024;

function parseJson(data: Uint8Array): Parsed {
  const tooDeep = { problem: `is nested more than ${MAX_JSON_DEPTH} deep` };
  const isLarge = data.byteLength > COUNTED_IN_VALUE_BYTES;
  if (isLarge && isTooDeep(data)) return tooDeep;
  try {
    const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
    const value: unknown = JSON.parse(text);
    if (!isLarge && isNestedDeeper(value, MAX_JSON_DEPTH)) return tooDeep;
    return hasProtoMember(text, value) ? { problem: 'has a member "__proto__"' } : { value };
  } catch {
    return { problem: 'is not JSON' };
  }
}

/** True for the server's own answer to a request that nobody serves. */
export function isNoResponders(message: Msg): boolean {
  return message.data.length === 0 && message.headers?.code === 503;
}
