// A stage call, and its answer held against all that docs/wire.md says of one.
import {
  MAX_NESTING,
  applyVerdict,
  blindReplacement,
  findUnserializable,
  isDataChunk,
  narrowInput,
  readsAt,
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
import { OptionsError, broken } from './broken.ts';
import { plainInput } from './plain-turn.ts';
import { aloneRun, entryOf, waitMs, type Target } from './target.ts';

export type Given = {
  options: JsonObject;
  state?: JsonObject;
  /** A plain turn's if absent. */
  input?: Partial<StageInput> | undefined;
  requestContext?: JsonObject;
  run?: StageCall['run'];
  /** Instead of one entry with the options and the state. */
  entries?: CallEntry[];
  /** Members beside those of the call. */
  more?: object;
  /** How long its answer is waited for, ms; what the processor allows itself, if absent. */
  timeoutMs?: number;
  /** To this replica's own subject. */
  replica?: string;
};
export type Judged = { verdicts: Verdict[]; replica: string; seen: unknown };

const errorReplySchema = z.object({ error: wireErrorSchema });
type Final = Extract<StageReply, { verdicts: unknown }>;

/** How long is listened for a second answer, ms. */
const LINGER_MS = 30;

export function callOf(target: Target, stage: Stage, given: Given): StageCall {
  const { options, state = {}, input = plainInput(stage), run = aloneRun(), requestContext = {} } = given;
  const full = { retryCount: 0, stepNumber: 0, ...input };
  return {
    callId: crypto.randomUUID(),
    run,
    entries: given.entries ?? [entryOf(target, options, { state })],
    requestContext,
    timeoutMs: given.timeoutMs ?? waitMs(target),
    remainingMs: 60_000,
    stage,
    input: narrowInput(full, readsAt(target.descriptor.reads, stage)),
    ...given.more,
  };
}

/** The verdicts. @throws BrokenError, also for an answered error */
export async function judge(target: Target, stage: Stage, given: Given, lingerMs = LINGER_MS): Promise<Judged> {
  const answer = await judgeOrError(target, stage, given, lingerMs);
  if ('error' in answer)
    broken(`${stage} answered an error: ${answer.error.code}: ${answer.error.message}`, answer.seen);
  return answer;
}

/** The same; an error is an answer too. */
export async function judgeOrError(
  target: Target,
  stage: Stage,
  given: Given,
  lingerMs = LINGER_MS,
): Promise<Judged | { error: WireError; seen: unknown }> {
  const call = callOf(target, stage, given);
  const subject = target.bus.subjects.stage(stage, call.entries[0]?.processor ?? '', given.replica);
  const isFinal = ({ json, serviceError }: Replies['replies'][number]) =>
    serviceError !== undefined || !stageReplySchema.safeParse(json).success || isVerdicts(json);
  const answered = await ask(target.bus, subject, call, { timeoutMs: call.timeoutMs, isFinal, lingerMs });
  if (answered.end === 'nobody') broken(`nobody is subscribed to ${subject}`);
  if (answered.end === 'silence') broken(`${subject} was not answered within ${call.timeoutMs} ms`, call);
  const last = answered.replies.findIndex(isFinal);
  const final = answered.replies[last];
  if (answered.replies.length > last + 1)
    broken(`${subject} was answered on after the final answer`, answered.replies[last + 1]?.json);
  if (final?.serviceError !== undefined)
    return { error: { code: 'service-failed', message: final.serviceError }, seen: final.json };
  const coded = errorReplySchema.safeParse(final?.json);
  if (coded.success) return { error: coded.data.error, seen: final?.json };
  return { ...readVerdicts(target, call, answered), seen: final?.json };
}

const isVerdicts = (json: unknown): boolean => typeof json === 'object' && json !== null && 'verdicts' in json;

function readVerdicts(target: Target, call: StageCall, { replies }: Replies): { verdicts: Verdict[]; replica: string } {
  let final: Final | undefined;
  for (const [at, { json, text }] of replies.entries()) {
    if (json === undefined) broken('an answer is not JSON, or nested too deep', text);
    const parsed = stageReplySchema.safeParse(json);
    if (!parsed.success) broken(`an answer does not fit stage-reply: ${issue(parsed.error)}`, json);
    const reply = parsed.data;
    if (reply.sequence !== at) broken(`the answers are not numbered densely: ${reply.sequence} came, not ${at}`, json);
    if ('verdicts' in reply) final = reply;
    else if (!reply.progress.every(isDataChunk)) broken('progress holds a chunk that is no data-* chunk', json);
  }
  if (!final) return broken('there is no final answer');
  const { verdicts, ms, replica } = final;
  if (verdicts.length === 0 || verdicts.length > call.entries.length)
    broken(`${verdicts.length} verdicts came for ${call.entries.length} entries`, final);
  if (ms.length !== verdicts.length) broken(`${ms.length} numbers in "ms" came for ${verdicts.length} verdicts`, final);
  if (!target.infos.some(({ id }) => id === replica))
    broken(`"replica" is "${replica}", which is no id that answers discovery`, final);
  const stop = verdicts.findIndex(({ type }) => type !== 'continue');
  if (stop >= 0 && stop < verdicts.length - 1) broken('verdicts came after one that is not "continue"', final);
  let { input } = call;
  for (const verdict of verdicts) input = holdVerdict(target, call.stage, input, verdict);
  return { verdicts, replica };
}

/** Codes that say that the processor has a bug, not that something it needs is away. */
const BUGS: readonly string[] = [
  'processor-failed',
  'processor-verdict-refused',
  'state-not-serializable',
  'state-too-large',
  'internal',
  'not-json',
];

/** @returns the input as the verdict leaves it */
export function holdVerdict(target: Target, stage: Stage, input: StageInput, verdict: Verdict): StageInput {
  if (verdict.type === 'failure' && verdict.code === 'options-invalid')
    throw new OptionsError(`the options do not fit; name some that do with --cases FILE: ${verdict.message}`, verdict);
  if (verdict.type === 'failure' && BUGS.includes(verdict.code))
    broken(`${stage} failed: ${verdict.code}: ${verdict.message}`, verdict);
  const applied = applyVerdict(stage, input, verdict);
  if (applied.verdict.type === 'failure' && verdict.type !== 'failure') broken(applied.verdict.message, verdict);
  const changes = 'changes' in verdict ? verdict.changes : undefined;
  const blind = changes && blindReplacement(changes, readsAt(target.descriptor.reads, stage));
  if (blind) broken(`"${blind.member}" replaces what is not in its reads: ${blind.unread}`, verdict);
  const state = 'state' in verdict ? verdict.state : undefined;
  if (state && findUnserializable(state) !== undefined)
    broken(`the state is nested deeper than ${MAX_NESTING}`, verdict);
  return applied.input;
}

export function issue({ issues: [first] }: z.ZodError): string {
  return first ? `${first.path.join('.') || 'it'}: ${first.message}` : 'it';
}
