// Maps the status of a run, or an error, to the exit code of the command.
import { MillraceError, getOwnMember, type ErrorCode, type RunStatus } from '@millrace/contracts';

import type { Exit } from './exit-code-table.ts';

export { EXIT_CODES, type Exit } from './exit-code-table.ts';

const exitOfStatus: Record<RunStatus, Exit> = {
  finished: 'ok',
  aborted: 'aborted',
  failed: 'failed',
  cancelled: 'cancelled',
  suspended: 'notEnded',
  released: 'notEnded',
  // A run result never has these states, but `runs show` prints them, and that is a success.
  queued: 'ok',
  running: 'ok',
};

export const chooseExitForRun = (status: RunStatus): Exit => exitOfStatus[status];

const exitOfCode: Partial<Record<ErrorCode, Exit>> = {
  'bus-unreachable': 'unreachable',
  'nobody-there': 'unreachable',
  timeout: 'unreachable',
  'store-unavailable': 'unreachable',
  cancelled: 'cancelled',
  'run-cancelled': 'cancelled',
  internal: 'usage',
};

export function chooseExitForError(error: unknown): Exit {
  return MillraceError.isInstance(error) ? (getOwnMember(exitOfCode, error.code) ?? 'refused') : 'usage';
}
