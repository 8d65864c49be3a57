// Reads the headers in which a request names its subject and its thread.
import { MillraceError, threadIdSchema } from '@millrace/contracts';

export const SUBJECT_HEADER = 'x-millrace-subject';
export const THREAD_HEADER = 'x-millrace-thread';

/**
 * Returns undefined only if the request does not have the header: the default in place of an invalid subject would be
 * another subject. @throws message-invalid
 */
export function readIdHeader(headers: Headers, name: string): string | undefined {
  const value = headers.get(name);
  if (value === null || threadIdSchema.safeParse(value).success) return value ?? undefined;
  throw new MillraceError(
    'message-invalid',
    `The header ${name} has to have 1 to 200 printable ASCII characters without spaces.`,
    { path: name, remedy: 'Correct the header, or omit it.' },
  );
}

/** Returns the subject. An invalid thread is refused on every route, also on those without threads. @throws message-invalid */
export function readSubject(headers: Headers): string | undefined {
  readIdHeader(headers, THREAD_HEADER);
  return readIdHeader(headers, SUBJECT_HEADER);
}
