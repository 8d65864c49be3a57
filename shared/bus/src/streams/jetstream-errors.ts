// Error codes of JetStream's API that the code handles, and the error for a missing part.
import { MillraceError } from '@millrace/contracts';
import { JetStreamApiError } from '@nats-io/jetstream';

export const STREAM_NAME_EXISTS = 10058;
/** Streams have reserved all of the storage that the server may use. */
export const STORAGE_IS_RESERVED = 10047;
export const STREAM_NOT_FOUND = 10059;
export const CONSUMER_EXISTS = 10148;
export const WRONG_LAST_SEQUENCE = 10071;
/** A store refused: a subject or a stream is as full as it may be. */
export const SUBJECT_IS_FULL = 10077;

export function isCode(error: unknown, code: number): boolean {
  return error instanceof JetStreamApiError && error.code === code;
}

export function createMissingError(name: string, cause: unknown): MillraceError {
  return new MillraceError('bus-unreachable', `JetStream does not provide ${name}: ${String(cause)}`, {
    cause,
    remedy: 'Run nats-server 2.12 or newer with JetStream enabled (-js).',
  });
}
