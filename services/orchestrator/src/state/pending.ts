// Manages the questions of a run: which entry or tool asked, and whether the caller may answer.
import { SUSPENSION_LIMITS, type Agent, type HeldPending, type JsonValue, type Stage } from '@millrace/contracts';
import { randomBytes } from 'node:crypto';
import type { Run } from './run-context.ts';

/**
 * Returns the question of a stage, or of a tool if `stage` is undefined; a call is identified by its position in the
 * answer.
 */
export function findPendingAt(run: Run, stage: Stage | undefined, position?: number): HeldPending | undefined {
  return run.getState().pending.find((one) => one.stage === stage && one.position === position);
}

/** Long enough that it cannot be guessed. */
const TOKEN_BYTES = 32;

type PendingRequest = Pick<HeldPending, 'by' | 'stage' | 'toolCall' | 'position' | 'kept' | 'policy' | 'clientCall'> & {
  /** Default: the agent's definition decides. */
  kind?: HeldPending['kind'];
  payload: JsonValue;
  expiresInSeconds?: number | undefined;
};

/** Adds a question; the run waits until it is answered. An earlier question of the same place is settled. Returns the id. */
export function askPending(run: Run, asked: PendingRequest): string {
  const { expiresInSeconds = SUSPENSION_LIMITS.defaultSeconds, ...rest } = asked;
  const before = findPendingAt(run, asked.stage, asked.position);
  if (before) run.dispatch({ action: 'pending-settled', id: before.id });
  const pending: HeldPending = {
    id: crypto.randomUUID(),
    kind: resolveKind(run.agent, asked.by),
    ...rest,
    expiresAt: new Date(run.deps.access.clock.now() + expiresInSeconds * 1_000).toISOString(),
    resumeToken: randomBytes(TOKEN_BYTES).toString('base64url'),
  };
  run.dispatch({ action: 'suspended', pending });
  return pending.id;
}

/**
 * Reads the kind from the agent's definition, never from the suspending processor: a caller must not approve its own
 * call.
 */
function resolveKind({ questions = [] }: Agent, by: string): HeldPending['kind'] {
  return questions.includes(by) ? 'question' : 'approval';
}
