// Reads the run of a verb from the subject of the request.
import { MillraceError } from '@millrace/contracts';

export type RunCall = { tenant: string; run: string | undefined };

/** @throws token-invalid if the subject names no run */
export function checkAddress({ tenant, run }: RunCall): { tenant: string; run: string } {
  if (run !== undefined) return { tenant, run };
  throw new MillraceError('token-invalid', 'The subject names no run.');
}

export function unknownRun(run: string): MillraceError {
  return new MillraceError('run-unknown', `There is no run "${run}".`, {
    remedy: 'Final states are kept for 24 hours.',
  });
}
