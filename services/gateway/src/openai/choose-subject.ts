// Chooses the subject of a request of OpenAI's protocols.
import { threadIdSchema } from '@millrace/contracts';
import { SUBJECT_HEADER, readIdHeader } from '../access/caller-headers.ts';

type SubjectMembers = { safety_identifier?: string | null | undefined; user?: string | null | undefined };

/**
 * The members of the body count only if the request has none of the headers, because a user of a chat client may set
 * them. @param others further headers with a subject
 * @throws message-invalid for an invalid header
 */
export function chooseSubject(
  headers: Headers,
  { safety_identifier: identifier, user }: SubjectMembers,
  others: readonly string[] = [],
): string | undefined {
  for (const name of [SUBJECT_HEADER, ...others]) {
    const subject = readIdHeader(headers, name);
    if (subject !== undefined) return subject;
  }
  return pickId([identifier ?? null, user ?? null]);
}

/** Returns the first value that is a valid id. */
export const pickId = (values: readonly (string | null)[]): string | undefined =>
  values.find((value): value is string => value !== null && threadIdSchema.safeParse(value).success);
