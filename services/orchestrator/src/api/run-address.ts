// Reads the run of a verb from the subject of the request, and decides which runs its caller can see.
import { MillraceError, isOperator, readOwner, type RunHead } from '@millrace/contracts';
import type { ApiCall } from '@millrace/bus';

/** @throws token-invalid if the subject names no run */
export function checkAddress({ tenant, run }: ApiCall): { tenant: string; run: string } {
  if (run !== undefined) return { tenant, run };
  throw new MillraceError('token-invalid', 'The subject names no run.');
}

/** Returns true for the caller's own runs; for an operator, for every run of the tenant. */
export function isVisible(head: Pick<RunHead, 'caller'>, { caller }: Pick<ApiCall, 'caller'>): boolean {
  return isOperator(caller) || readOwner(head) === caller;
}

/** Also the answer to a caller that does not own the run: it does not learn that the run exists. */
export function createUnknownRunError(run: string): MillraceError {
  return new MillraceError('run-unknown', `There is no run "${run}".`, {
    remedy: 'Final states are kept for 24 hours.',
  });
}
