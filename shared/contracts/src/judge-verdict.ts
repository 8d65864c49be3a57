// A verdict as it counts: whether its stage allows it, and what its changes make of the stage's input. The replica asks before the
// next processor of a call sees the input; the orchestrator asks again, because processors in other languages have no runtime of
// ours in front of them.
import { withOneAnswer } from './answer-message.ts';
import { applyChanges, refusedChange, type Changes } from './changes.ts';
import { isRetryable, type ErrorCode } from './error-codes.ts';
import { isKnownCode } from './errors.ts';
import { MAX_NESTING, MAX_VALUE_NESTING, isNestedDeeper, type JsonValue } from './json.ts';
import type { Stage } from './stage.ts';
import type { StageInput } from './stage-call.ts';
import { SUSPENSION_LIMITS } from './suspension.ts';
import { allowsRetry, allowsVerdict, isName, type Verdict, type VerdictOf, type Violation } from './verdict.ts';

/** Longer texts of a verdict that only explain are cut, with a mark. The text of a halt is an answer, and is not. */
export const MAX_REASON_CHARS = 8_192;

/** Of an entry's state as JSON, UTF-16 code units: it travels with each call of the entry, and stands in the run's records. */
export const MAX_STATE_CHARS = 256 * 1024;

/** What was wrong with a verdict is its failure; the input is then as it was before. */
export function applyVerdict(
  stage: Stage,
  input: StageInput,
  verdict: Verdict,
): { verdict: Verdict; input: StageInput } {
  const refused = refusedVerdict(stage, verdict) ?? refusedMessages(stage, input, verdict);
  if (refused) return { verdict: refused, input };
  const changes = changesOf(verdict);
  if (!changes) return { verdict: withBounds(verdict), input };
  try {
    const next = applyChanges(input, changes);
    const isAnswer = stage === 'processOutputStep';
    return { verdict: withBounds(verdict), input: isAnswer ? withOneAnswer(input, next, changes) : next };
  } catch (error) {
    // For example a message to replace that is not there.
    return { verdict: refusal(error instanceof Error ? error.message : String(error)), input };
  }
}

/** Why the stage does not allow the verdict, as the failure that it is. */
export function refusedVerdict(stage: Stage, verdict: Verdict): VerdictOf<'failure'> | undefined {
  if (isNestedDeeper(verdict)) return refusal(`A verdict is nested deeper than ${MAX_NESTING}.`);
  if (!allowsVerdict(stage, verdict.type)) return refusal(`${stage} does not allow the verdict "${verdict.type}".`);
  if (verdict.type === 'abort' && verdict.retry && !allowsRetry(stage)) {
    return refusal(`${stage} does not allow abort with retry.`);
  }
  if (verdict.type === 'suspend') {
    const problem = suspensionProblem(verdict.payload, verdict.expiresInSeconds);
    if (problem !== undefined) return refusal(problem);
  }
  const tooLarge = stopsForGood(verdict) ? undefined : stateProblem(verdict);
  if (tooLarge !== undefined) return failureOf('state-too-large', tooLarge);
  const changes = changesOf(verdict);
  const member = changes && refusedChange(stage, changes);
  return member === undefined ? undefined : refusal(`${stage} cannot change "${member}".`);
}

/** What it says counts whatever its state is: an entry that may be skipped must not let pass what it has stopped. */
const stopsForGood = ({ type }: Verdict): boolean => type === 'abort' || type === 'deny';

function stateProblem(verdict: Verdict): string | undefined {
  const length = 'state' in verdict && verdict.state ? JSON.stringify(verdict.state).length : 0;
  return length > MAX_STATE_CHARS ? stateTooLarge(length) : undefined;
}

export const stateTooLarge = (length: number): string =>
  `Its state has ${length} characters as JSON; it may have ${MAX_STATE_CHARS}.`;

/** What is wrong with a suspension, whoever asks for it. Nothing of it is cut: what is asked would be another question. */
export function suspensionProblem(payload: JsonValue, expiresInSeconds = 1): string | undefined {
  const { maxPayloadChars, maxSeconds } = SUSPENSION_LIMITS;
  if (isNestedDeeper(payload, MAX_VALUE_NESTING))
    return `The payload of a suspension is nested deeper than ${MAX_VALUE_NESTING}.`;
  const { length } = JSON.stringify(payload);
  if (length > maxPayloadChars)
    return `The payload of a suspension has ${length} characters; it may have ${maxPayloadChars}.`;
  if (expiresInSeconds > maxSeconds) return `A suspension may last ${maxSeconds} s, not ${expiresInSeconds}.`;
  return undefined;
}

/** At the end of a run what it remembered is history: only messages of this run may still change. */
function refusedMessages(stage: Stage, input: StageInput, verdict: Verdict): VerdictOf<'failure'> | undefined {
  const ops = changesOf(verdict)?.ops;
  if (stage !== 'processOutputResult' || !ops || !input.conversation) return undefined;
  const remembered = new Set(
    input.conversation.entries.filter(({ source }) => source === 'remembered').map(({ message }) => message.id),
  );
  const touched = ops.flatMap((op) => (op.op === 'remove' ? op.ids : 'message' in op ? [op.message.id] : []));
  const id = touched.find((one) => remembered.has(one));
  return id === undefined ? undefined : refusal(`${stage} cannot replace or remove the remembered message "${id}".`);
}

function withBounds(given: Verdict): Verdict {
  const verdict = stopsForGood(given) && stateProblem(given) !== undefined ? withoutState(given) : given;
  switch (verdict.type) {
    case 'failure':
      return { ...failureOf(verdict.code, verdict.message), retryable: verdict.retryable };
    case 'abort': {
      const { metadata } = verdict;
      return {
        ...verdict,
        reason: cut(verdict.reason),
        ...(metadata !== undefined && { metadata: cutJson(metadata) }),
      };
    }
    case 'deny':
      return withName({ ...verdict, reason: cut(verdict.reason) });
    case 'halt':
      return verdict.reason === undefined ? verdict : { ...verdict, reason: cut(verdict.reason) };
    default:
      return verdict;
  }
}

/** The state that it had before stays. */
function withoutState(verdict: Verdict): Verdict {
  const { state: _, ...rest } = { state: undefined, ...verdict };
  return rest;
}

/** A denial's code is a name, or is left out. */
function withName({ code, ...verdict }: VerdictOf<'deny'>): VerdictOf<'deny'> {
  return code !== undefined && isName(code) ? { ...verdict, code } : verdict;
}

function cut(text: string): string {
  if (text.length <= MAX_REASON_CHARS) return text;
  const mark = ` [cut: it had ${text.length} characters]`;
  return text.slice(0, MAX_REASON_CHARS - mark.length) + mark;
}

/** JSON that explains something, or its beginning as a text. */
function cutJson(value: JsonValue): JsonValue {
  const written = JSON.stringify(value);
  return written.length <= MAX_REASON_CHARS ? value : cut(written);
}

/** A finding as it is kept: whatever the processor calls itself, it is the entry's; its texts are bounded. */
export function boundedViolation(entry: string, { message, detail, rule, strategy, count }: Violation): Violation {
  return {
    processorId: entry,
    message: cut(message),
    ...(rule !== undefined && { rule: cut(rule) }),
    ...(strategy !== undefined && { strategy: cut(strategy) }),
    ...(count !== undefined && { count }),
    ...(detail !== undefined && { detail: cutJson(detail) }),
  };
}

function changesOf(verdict: Verdict): Changes | undefined {
  return 'changes' in verdict ? verdict.changes : undefined;
}

const refusal = (message: string) => failureOf('processor-verdict-refused', message);

/** A failure by its code. Codes are a promise of the registry: what somebody else calls a failure stays in its message. */
export function failureOf(code: ErrorCode, message: string): VerdictOf<'failure'> {
  if (!isKnownCode(code)) return failureOf('processor-failed', `${code}: ${message}`);
  return { type: 'failure', code, message: cut(message), retryable: isRetryable(code) };
}
