// What a run waits for: who asked it, and whose it is to answer.
import { SUSPENSION_LIMITS, type Agent, type HeldPending, type JsonValue, type Stage } from '@millrace/contracts';
import { randomBytes } from 'node:crypto';
import type { Run } from './run-context.ts';

/** What a stage, or a tool where `stage` is undefined, has asked: of a call, by its position in the answer. */
export function pendingAt(run: Run, stage: Stage | undefined, position?: number): HeldPending | undefined {
  return run.state().pending.find((one) => one.stage === stage && one.position === position);
}

/** Nobody guesses it. */
const TOKEN_BYTES = 32;

type Asked = Pick<HeldPending, 'by' | 'stage' | 'toolCall' | 'position' | 'kept'> & {
  payload: JsonValue;
  expiresInSeconds?: number | undefined;
};

/** The run waits for this from now on; it goes on once it is answered. What the same place asked before is settled. */
export function askPending(run: Run, asked: Asked): void {
  const { expiresInSeconds = SUSPENSION_LIMITS.defaultSeconds, ...rest } = asked;
  const before = pendingAt(run, asked.stage, asked.position);
  if (before) run.dispatch({ action: 'pending-settled', id: before.id });
  const pending: HeldPending = {
    id: crypto.randomUUID(),
    kind: kindOf(run.agent, asked.by),
    ...rest,
    expiresAt: new Date(run.deps.access.clock.now() + expiresInSeconds * 1_000).toISOString(),
    resumeToken: randomBytes(TOKEN_BYTES).toString('base64url'),
  };
  run.dispatch({ action: 'suspended', pending });
}

/** Decided by the agent's definition, never by what whoever suspends says: nobody approves his own call. */
function kindOf({ questions = [] }: Agent, by: string): HeldPending['kind'] {
  return questions.includes(by) ? 'question' : 'approval';
}
