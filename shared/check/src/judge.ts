// Sends a stage call and validates its reply by the rules of docs/wire.md.
import {
  listIssues,
  MAX_NESTING,
  applyVerdict,
  findBlindReplacement,
  findUnserializable,
  isDataChunk,
  narrowInput,
  makeCallHeaders,
  findReadsAt,
  finalReplySchema,
  stageReplySchema,
  wireErrorSchema,
  type CallEntry,
  type JsonObject,
  type Stage,
  type StageCall,
  type StageInput,
  type StageReply,
  type Verdict,
  type WireError,
} from '@millrace/contracts';
import { z } from 'zod';
import { ask, type Replies } from './ask.ts';
import { OptionsError, fail, failLate } from './rule-error.ts';
import { buildPlainInput } from './plain-turn.ts';
import { createLoneRun, buildCallEntry, waitMs, type CheckTarget, buildStageSubject } from './target.ts';

export type CallGiven = {
  options: JsonObject;
  state?: JsonObject;
  /** Default: that of a plain turn. */
  input?: Partial<StageInput> | undefined;
  requestContext?: JsonObject;
  run?: StageCall['run'];
  /** Instead of one entry with the options and the state. */
  entries?: CallEntry[];
  /** Additional members of the call. */
  more?: object;
  /** Timeout of the answer, ms. Default: the processor's own timeout. */
  timeoutMs?: number;
  /** Sends the call to this replica's own subject. */
  replica?: string;
};
export type CheckedCall = { verdicts: Verdict[]; replica: string; seen: unknown };

const errorReplySchema = z.object({ error: wireErrorSchema });
type Final = Extract<StageReply, { verdicts: unknown }>;

/** Time to listen for a second reply, ms. */
const LINGER_MS = 30;

export function buildCall(target: CheckTarget, stage: Stage, given: CallGiven): StageCall {
  const { options, state = {}, input = buildPlainInput(stage), run = createLoneRun(), requestContext = {} } = given;
  const full = { retryCount: 0, stepNumber: 0, ...input };
  return {
    callId: crypto.randomUUID(),
    run,
    entries: given.entries ?? [buildCallEntry(target, options, { state })],
    requestContext,
    timeoutMs: given.timeoutMs ?? waitMs(target),
    remainingMs: 60_000,
    stage,
    input: narrowInput(full, findReadsAt(target.descriptor.reads, stage)),
    ...given.more,
  };
}

/** Returns the verdicts. @throws BrokenError, also for an error reply */
export async function judge(
  target: CheckTarget,
  stage: Stage,
  given: CallGiven,
  lingerMs = LINGER_MS,
): Promise<CheckedCall> {
  const answer = await judgeOrError(target, stage, given, lingerMs);
  if ('error' in answer) fail(`${stage} answered an error: ${answer.error.code}: ${answer.error.message}`, answer.seen);
  return answer;
}

/** Accepts an error reply too. */
export async function judgeOrError(
  target: CheckTarget,
  stage: Stage,
  given: CallGiven,
  lingerMs = LINGER_MS,
): Promise<CheckedCall | { error: WireError; seen: unknown }> {
  const call = buildCall(target, stage, given);
  const subject = buildStageSubject(target, stage, call.entries[0]?.processor ?? '', given.replica);
  const isFinal = ({ json, serviceError }: Replies['replies'][number]) =>
    serviceError !== undefined || !stageReplySchema.safeParse(json).success || isVerdicts(json);
  const answered = await ask(target.bus, subject, call, {
    headers: makeCallHeaders(call.entries),
    timeoutMs: call.timeoutMs,
    isFinal,
    lingerMs,
  });
  if (answered.end === 'nobody') fail(`${subject} has no subscriber`);
  if (answered.end === 'silence')
    failLate(`${subject} was not answered within ${call.timeoutMs} ms`, call.timeoutMs, call);
  const last = answered.replies.findIndex(isFinal);
  const final = answered.replies[last];
  if (answered.replies.length > last + 1)
    fail(`${subject} was answered on after the final answer`, answered.replies[last + 1]?.json);
  if (final?.serviceError !== undefined)
    return { error: { code: 'service-failed', message: final.serviceError }, seen: final.json };
  const coded = errorReplySchema.safeParse(final?.json);
  if (coded.success) return { error: coded.data.error, seen: final?.json };
  return { ...readVerdicts(target, call, answered), seen: final?.json };
}

const isVerdicts = (json: unknown): boolean => typeof json === 'object' && json !== null && 'verdicts' in json;

/** Compares an answer with verdicts to the schema of final replies: problems of a union would be those of progress. */
function describeMisfit(json: unknown, error: z.ZodError): string {
  const final = isVerdicts(json) ? finalReplySchema.safeParse(json) : undefined;
  return issue(final?.error ?? error);
}

function readVerdicts(
  target: CheckTarget,
  call: StageCall,
  { replies }: Replies,
): { verdicts: Verdict[]; replica: string } {
  let final: Final | undefined;
  for (const [at, { json, text }] of replies.entries()) {
    if (json === undefined) fail('an answer is not JSON, or nested too deep', text);
    const parsed = stageReplySchema.safeParse(json);
    if (!parsed.success) fail(`an answer does not fit stage-reply: ${describeMisfit(json, parsed.error)}`, json);
    const reply = parsed.data;
    if (reply.sequence !== at)
      fail(`the answers are not numbered densely: ${reply.sequence} arrived instead of ${at}`, json);
    if ('verdicts' in reply) final = reply;
    else if (!reply.progress.every(isDataChunk)) fail('progress holds a chunk that is no data-* chunk', json);
  }
  if (!final) return fail('there is no final answer');
  const { verdicts, ms, replica } = final;
  if (verdicts.length === 0 || verdicts.length > call.entries.length)
    fail(`${verdicts.length} verdicts for ${call.entries.length} entries`, final);
  if (ms.length !== verdicts.length) fail(`${ms.length} numbers in "ms" for ${verdicts.length} verdicts`, final);
  if (!target.infos.some(({ id }) => id === replica))
    fail(`"replica" is "${replica}", which is no id that answers discovery`, final);
  const stop = verdicts.findIndex(({ type }) => type !== 'continue');
  if (stop >= 0 && stop < verdicts.length - 1) fail('more verdicts after one that is not "continue"', final);
  let { input } = call;
  for (const verdict of verdicts) input = holdVerdict(target, call.stage, input, verdict);
  return { verdicts, replica };
}

/** Codes of bugs in the processor, as opposed to missing dependencies. */
const BUGS: readonly string[] = [
  'processor-failed',
  'processor-verdict-refused',
  'state-not-serializable',
  'state-too-large',
  'internal',
  'not-json',
];

/** @returns the input after the verdict */
export function holdVerdict(target: CheckTarget, stage: Stage, input: StageInput, verdict: Verdict): StageInput {
  if (verdict.type === 'failure' && verdict.code === 'options-invalid')
    throw new OptionsError(`the options do not fit; pass valid ones with --cases FILE: ${verdict.message}`, verdict);
  if (verdict.type === 'failure' && BUGS.includes(verdict.code))
    fail(`${stage} failed: ${verdict.code}: ${verdict.message}`, verdict);
  const applied = applyVerdict(stage, input, verdict);
  if (applied.verdict.type === 'failure' && verdict.type !== 'failure') fail(applied.verdict.message, verdict);
  const changes = 'changes' in verdict ? verdict.changes : undefined;
  const blind = changes && findBlindReplacement(changes, findReadsAt(target.descriptor.reads, stage));
  if (blind) fail(`"${blind.member}" replaces data outside of its reads: ${blind.unread}`, verdict);
  const state = 'state' in verdict ? verdict.state : undefined;
  if (state && findUnserializable(state) !== undefined) fail(`the state is nested deeper than ${MAX_NESTING}`, verdict);
  return applied.input;
}

/** Returns the path of the first problem and its description; of a union those of the branch that fits best. */
export function issue(error: z.ZodError): string {
  const [first] = listIssues(error);
  return first ? [first.path, first.message].filter((text) => text !== undefined && text !== '').join(' ') : 'it';
}
