// Defines the exit codes of the command. Scripts depend on them: `millrace --help` prints this table, and a test
// compares the two. The module imports nothing: the help needs no other one.

export const EXIT_CODES = {
  ok: { code: 0, meaning: 'success: the run finished (also by halt), the agent is applied, the question is answered' },
  usage: { code: 1, meaning: 'wrong usage, or an unexpected error' },
  aborted: { code: 2, meaning: 'the run was aborted: a processor blocked it (the tripwire)' },
  failed: { code: 3, meaning: 'the run failed' },
  cancelled: { code: 4, meaning: 'the run was cancelled' },
  refused: {
    code: 5,
    meaning: 'request rejected with an error code: invalid request or agent, unknown id; check: a rule is violated',
  },
  unreachable: {
    code: 6,
    meaning:
      'NATS or the called service is unreachable, or did not respond within the timeout; check: the machine is too busy to judge a rule',
  },
  notEnded: {
    code: 7,
    meaning: 'the run is suspended, or was released while it was suspended; the erasure is not done yet',
  },
  interrupted: { code: 130, meaning: 'interrupted a second time, before the run had ended' },
  outputClosed: {
    code: 141,
    meaning: 'broken pipe: the reader of stdout closed it (as `head` does); `run` cancels its run first',
  },
} as const;
export type Exit = keyof typeof EXIT_CODES;

/** Formats the table for --help. */
export function formatExitCodeTable(): string {
  return Object.values(EXIT_CODES)
    .map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`)
    .join('\n');
}
