// What the command's exit code says. Scripts depend on it: `millrace --help` prints this table, and a test holds the two together.
import { MillraceError, ownMember, type ErrorCode, type RunStatus } from '@millrace/contracts';

export const EXIT_CODES = {
  ok: { code: 0, meaning: 'done: the run finished (also by halt), the agent is applied, the question is answered' },
  usage: { code: 1, meaning: 'wrong usage, or an unexpected error' },
  aborted: { code: 2, meaning: 'the run was aborted: a processor blocked it (the tripwire)' },
  failed: { code: 3, meaning: 'the run failed' },
  cancelled: { code: 4, meaning: 'the run was cancelled' },
  refused: {
    code: 5,
    meaning: 'refused with a code: a request, an agent, an id that nobody knows; check: a rule is broken',
  },
  unreachable: { code: 6, meaning: 'nobody can be reached, or answers in time: NATS, or the service that was asked' },
  notEnded: { code: 7, meaning: 'the run is put away (suspended) or was given up there (released)' },
  interrupted: { code: 130, meaning: 'interrupted a second time, before the run had ended' },
  outputClosed: {
    code: 141,
    meaning: 'whoever read the output went away (as `head` does); `run` cancels its run then',
  },
} as const;
export type Exit = keyof typeof EXIT_CODES;

const exitOfStatus: Record<RunStatus, Exit> = {
  finished: 'ok',
  aborted: 'aborted',
  failed: 'failed',
  cancelled: 'cancelled',
  suspended: 'notEnded',
  released: 'notEnded',
  // A result has one of those above; these are what `runs show` may say of a run, which is an answer.
  queued: 'ok',
  running: 'ok',
};

export const exitOfRun = (status: RunStatus): Exit => exitOfStatus[status];

const exitOfCode: Partial<Record<ErrorCode, Exit>> = {
  'bus-unreachable': 'unreachable',
  'nobody-there': 'unreachable',
  timeout: 'unreachable',
  'store-unavailable': 'unreachable',
  cancelled: 'cancelled',
  'run-cancelled': 'cancelled',
  internal: 'usage',
};

export function exitOfError(error: unknown): Exit {
  return MillraceError.isInstance(error) ? (ownMember(exitOfCode, error.code) ?? 'refused') : 'usage';
}

/** For --help. */
export function exitCodeTable(): string {
  return Object.values(EXIT_CODES)
    .map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`)
    .join('\n');
}
