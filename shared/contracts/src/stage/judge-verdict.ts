// Validates a verdict: checks whether its stage allows it, and applies its changes to the stage's input. The replica
// validates before the next processor of a call sees the input; the orchestrator validates again, because processors in
// other languages do not use this runtime.
import { withOneAnswer } from '../message/answer-message.ts';
import { applyChanges, findRefusedChange, type Changes } from '../message/changes.ts';
import { isRetryable, type ErrorCode } from '../base/error-codes.ts';
import { isKnownCode } from '../base/errors.ts';
import { MAX_NESTING, MAX_VALUE_NESTING, isNestedDeeper, type JsonValue } from '../base/json.ts';
import type { Stage } from '../base/stage.ts';
import type { StageInput } from './stage-call.ts';
import { SUSPENSION_LIMITS } from '../chunk/suspension.ts';
import { allowsRetry, allowsVerdict, isName, type Verdict, type VerdictOf, type Violation } from './verdict.ts';

/**
 * Maximum length of an explanatory text of a verdict; longer texts are cut with a mark. The text of a halt is an answer
 * and is not cut.
 */
export const MAX_REASON_CHARS = 8_192;

/**
 * Maximum size of an entry's state as JSON, in UTF-16 code units: it is sent with each call of the entry and stored in
 * the run's records.
 */
export const MAX_STATE_CHARS = 256 * 1024;

/** An invalid verdict becomes the processor's failure, and the input is unchanged. */
export function applyVerdict(
  stage: Stage,
  input: StageInput,
  verdict: Verdict,
): { verdict: Verdict; input: StageInput } {
  const refused = refuseVerdict(stage, verdict) ?? refuseMessages(stage, input, verdict);
  if (refused) return { verdict: refused, input };
  const changes = readChanges(verdict);
  if (!changes) return { verdict: withBounds(verdict), input };
  try {
    const next = applyChanges(input, changes);
    const isAnswer = stage === 'processOutputStep';
    return { verdict: withBounds(verdict), input: isAnswer ? withOneAnswer(input, next, changes) : next };
  } catch (error) {
    // Example: the message to replace does not exist.
    return { verdict: createRefusal(error instanceof Error ? error.message : String(error)), input };
  }
}

/** Returns the failure if the stage does not allow the verdict. */
export function refuseVerdict(stage: Stage, verdict: Verdict): VerdictOf<'failure'> | undefined {
  if (isNestedDeeper(verdict)) return createRefusal(`A verdict is nested deeper than ${MAX_NESTING} levels.`);
  if (!allowsVerdict(stage, verdict.type))
    return createRefusal(`${stage} does not allow the verdict "${verdict.type}".`);
  if (verdict.type === 'abort' && verdict.retry && !allowsRetry(stage)) {
    return createRefusal(`${stage} does not allow abort with retry.`);
  }
  if (verdict.type === 'suspend') {
    const problem = findSuspensionProblem(verdict.payload, verdict.expiresInSeconds);
    if (problem !== undefined) return createRefusal(problem);
  }
  const tooLarge = isFinalStop(verdict) ? undefined : findStateProblem(verdict);
  if (tooLarge !== undefined) return createFailure('state-too-large', tooLarge);
  const changes = readChanges(verdict);
  const member = changes && findRefusedChange(stage, changes);
  return member === undefined ? undefined : createRefusal(`${stage} cannot change "${member}".`);
}

/** A final stop counts even with an invalid state: an entry that may be skipped must not pass input that it stopped. */
const isFinalStop = ({ type }: Verdict): boolean => type === 'abort' || type === 'deny';

function findStateProblem(verdict: Verdict): string | undefined {
  const length = 'state' in verdict && verdict.state ? JSON.stringify(verdict.state).length : 0;
  return length > MAX_STATE_CHARS ? describeLargeState(length) : undefined;
}

export const describeLargeState = (length: number): string =>
  `Its state has ${length} characters as JSON; the maximum is ${MAX_STATE_CHARS}.`;

/** Returns the problem of a suspension. The payload is never cut, because a cut question would be another question. */
export function findSuspensionProblem(payload: JsonValue, expiresInSeconds = 1): string | undefined {
  const { maxPayloadChars, maxSeconds } = SUSPENSION_LIMITS;
  if (isNestedDeeper(payload, MAX_VALUE_NESTING))
    return `The payload of a suspension is nested deeper than ${MAX_VALUE_NESTING} levels.`;
  const { length } = JSON.stringify(payload);
  if (length > maxPayloadChars)
    return `The payload of a suspension has ${length} characters; the maximum is ${maxPayloadChars}.`;
  if (expiresInSeconds > maxSeconds) return `A suspension lasts at most ${maxSeconds} s, not ${expiresInSeconds}.`;
  return undefined;
}

/** At the end of a run its remembered messages are history: only messages of this run may change. */
function refuseMessages(stage: Stage, input: StageInput, verdict: Verdict): VerdictOf<'failure'> | undefined {
  const ops = readChanges(verdict)?.ops;
  if (stage !== 'processOutputResult' || !ops || !input.conversation) return undefined;
  const remembered = new Set(
    input.conversation.entries.filter(({ source }) => source === 'remembered').map(({ message }) => message.id),
  );
  const touched = ops.flatMap((op) => (op.op === 'remove' ? op.ids : 'message' in op ? [op.message.id] : []));
  const id = touched.find((one) => remembered.has(one));
  return id === undefined
    ? undefined
    : createRefusal(`${stage} cannot replace or remove the remembered message "${id}".`);
}

function withBounds(given: Verdict): Verdict {
  const verdict = isFinalStop(given) && findStateProblem(given) !== undefined ? omitState(given) : given;
  switch (verdict.type) {
    case 'failure': {
      const { code, message, retryable, usage } = verdict;
      return { ...createFailure(code, message), retryable, ...(usage && { usage }) };
    }
    case 'abort': {
      const { metadata } = verdict;
      return {
        ...verdict,
        reason: cutText(verdict.reason),
        ...(metadata !== undefined && { metadata: cutJson(metadata) }),
      };
    }
    case 'deny':
      return withName({ ...verdict, reason: cutText(verdict.reason) });
    case 'halt':
      return verdict.reason === undefined ? verdict : { ...verdict, reason: cutText(verdict.reason) };
    default:
      return verdict;
  }
}

/** Keeps the previous state. */
function omitState(verdict: Verdict): Verdict {
  const { state: _, ...rest } = { state: undefined, ...verdict };
  return rest;
}

/** Drops the code of a denial unless it is a name. */
function withName({ code, ...verdict }: VerdictOf<'deny'>): VerdictOf<'deny'> {
  return code !== undefined && isName(code) ? { ...verdict, code } : verdict;
}

function cutText(text: string): string {
  if (text.length <= MAX_REASON_CHARS) return text;
  const mark = ` [cut: it had ${text.length} characters]`;
  return text.slice(0, MAX_REASON_CHARS - mark.length) + mark;
}

/** Keeps explanatory JSON, or replaces it by the start of its text if it is oversized. */
function cutJson(value: JsonValue): JsonValue {
  const written = JSON.stringify(value);
  return written.length <= MAX_REASON_CHARS ? value : cutText(written);
}

/** Builds the stored violation: the id is the entry's, regardless of the processor's claim; the texts are bounded. */
export function boundViolation(entry: string, { message, detail, rule, strategy, count }: Violation): Violation {
  return {
    processorId: entry,
    message: cutText(message),
    ...(rule !== undefined && { rule: cutText(rule) }),
    ...(strategy !== undefined && { strategy: cutText(strategy) }),
    ...(count !== undefined && { count }),
    ...(detail !== undefined && { detail: cutJson(detail) }),
  };
}

function readChanges(verdict: Verdict): Changes | undefined {
  return 'changes' in verdict ? verdict.changes : undefined;
}

const createRefusal = (message: string) => createFailure('processor-verdict-refused', message);

/** Creates a failure. The registry defines the codes: a foreign code is moved to the message. */
export function createFailure(code: ErrorCode, message: string): VerdictOf<'failure'> {
  if (!isKnownCode(code)) return createFailure('processor-failed', `${code}: ${message}`);
  return { type: 'failure', code, message: cutText(message), retryable: isRetryable(code) };
}
