// Refuses members of a request that a run cannot carry: nothing is dropped silently.
import { MillraceError } from '@millrace/contracts';

/** For each member, whether its value is refused, and why. Absent members and null are accepted. */
export type RefusedMembers = Readonly<Record<string, { accepts: (value: unknown) => boolean; reason?: string }>>;

export const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** @throws not-built-yet with the member as its path */
export function refuseMembers(request: Readonly<Record<string, unknown>>, refused: RefusedMembers): void {
  for (const [name, { accepts, reason = '' }] of Object.entries(refused)) {
    const value = request[name];
    if (value === undefined || value === null || accepts(value)) continue;
    throw new MillraceError('not-built-yet', `"${name}" is not supported. ${reason}`.trim(), {
      path: name,
      remedy: `Omit "${name}".`,
    });
  }
}
