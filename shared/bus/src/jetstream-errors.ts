// What JetStream's API answers when it refuses: the codes that are acted on, and the error where it does not give what is needed.
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

export function notGiven(name: string, cause: unknown): MillraceError {
  return new MillraceError('bus-unreachable', `JetStream does not give ${name}: ${String(cause)}`, {
    cause,
    remedy: 'Run nats-server 2.12 or newer with JetStream enabled (-js).',
  });
}
