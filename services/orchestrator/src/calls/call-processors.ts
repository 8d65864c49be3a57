// Calls processors over the bus. Returns a verdict for each entry, in order; a failed call is a failure verdict, never
// a throw.
import {
  makeCallHeaders,
  narrowInput,
  stageReplySchema,
  timings,
  type Chunk,
  type PlanEntry,
  type Stage,
} from '@millrace/contracts';
import type { ErrorCode, MillraceError, StageInput, StageReply } from '@millrace/contracts';
import { publish, request } from '@millrace/bus';
import { askWithPolicy, type CallAnswer, type CallTarget } from './ask-with-policy.ts';
import { callHead, isDeferrable, listReads, type ResumedEntry } from './call-request.ts';
import type { LabelContext } from './label-verdict.ts';
import { createProgressBudget, TOO_MUCH_PROGRESS } from './progress-budget.ts';
import type { Run } from '../state/run-context.ts';
import { createEntryFailure, judge, judgeAll, type JudgedEntry } from './verdict-fold.ts';
import { classifyUnaccepted } from './unaccepted-request.ts';
import { watchCall, type CallWatch } from './watch-call.ts';

export type StageRequest = {
  stage: Stage;
  input: StageInput;
  /** Receives the custom chunks that processors write while they work, with the entries at work. */
  receiveData: (chunks: Chunk[], group: readonly PlanEntry[]) => void;
  resumed?: ResumedEntry | undefined;
};

/** Calls an entry when the caller requests its verdict; the entry sees the changes of those before it. */
export async function* callProcessors(
  run: Run,
  entries: readonly PlanEntry[],
  { stage, input, receiveData, resumed }: StageRequest,
): AsyncGenerator<JudgedEntry, void, void> {
  let current = input;
  const once = writeOnce(receiveData);
  const ask = (group: PlanEntry[], to: CallTarget) =>
    askStage(run, group, to, { stage, input: current, receiveData: once(), resumed });
  const findAbsentMs = (entry: PlanEntry) =>
    stage === 'processOutputResult' && isDeferrable(entry) ? timings.absentMemoryMs : undefined;
  for await (const outcome of askWithPolicy(run, entries, ask, { stage, readAbsentMs: findAbsentMs })) {
    if ('failure' in outcome) {
      const { entry, failure, ...rest } = outcome;
      yield { ...judge(stage, current, entry, failure), ...rest };
      continue;
    }
    for (const judged of outcome.answer) {
      current = judged.input;
      yield { ...judged, attempts: outcome.attempts };
    }
  }
}

/** Drops the chunks that a retried stage writes again: those published already are counted, entry by entry. */
function writeOnce(receiveData: StageRequest['receiveData']) {
  const out = new Map<string, number>();
  return (): ((entry: string, chunks: Chunk[], group: readonly PlanEntry[]) => void) => {
    const seen = new Map<string, number>();
    return (entry, chunks, group) => {
      const before = seen.get(entry) ?? 0;
      const known = out.get(entry) ?? 0;
      seen.set(entry, before + chunks.length);
      out.set(entry, Math.max(known, before + chunks.length));
      const fresh = chunks.slice(Math.max(known - before, 0));
      if (fresh.length > 0) receiveData(fresh, group);
    };
  };
}

type StageAsk = Pick<StageRequest, 'stage' | 'input' | 'resumed'> & {
  receiveData: ReturnType<ReturnType<typeof writeOnce>>;
};

async function askStage(
  run: Run,
  group: PlanEntry[],
  to: CallTarget,
  ask: StageAsk,
): Promise<CallAnswer<JudgedEntry[]>> {
  const { stage, input, receiveData, resumed } = ask;
  const { bus } = run.deps.access;
  const [first] = group;
  if (!first) throw new Error('no processor to call');
  const head = callHead(run, stage, group, { resumed, isLast: to.lastTry });
  const watch = watchCall(run, group, to.lastTry, to.replica);
  const budget = createProgressBudget();
  let progressed = 0;
  let refused: string | undefined;
  const connections = bus.countConnections();
  const answer = await request<StageReply>(bus, {
    subject: bus.subjects.stage(stage, first, to.replica),
    headers: makeCallHeaders(group),
    payload: { ...head, stage, input: narrowInput(input, listReads(stage, group)) },
    reply: stageReplySchema,
    timeoutMs: head.timeoutMs,
    onAsked: watch.onAsked,
    readProgress: (reply) => ('progress' in reply ? reply.sequence : 'final'),
    onProgress: (reply) => {
      if (!('progress' in reply)) return;
      progressed += 1;
      const { entry = first.entry, progress, judged } = reply;
      if (judged && judged.verdicts.length > group.length)
        refused = describeTooManyVerdicts(judged.verdicts.length, group);
      else if (!budget.accepts(progress)) refused = `It ${TOO_MUCH_PROGRESS}`;
      if (refused !== undefined) return watch.giveUp();
      watch.receive(reply);
      to.call.receive(reply.replica);
      if (progress.length > 0) receiveData(entry, progress, group);
    },
  });
  watch.stop();
  if (refused !== undefined) {
    const error = { code: 'processor-verdict-refused' as const, message: refused };
    giveUp(run, group, stage, head.callId, error);
    return { ...failGroup(group, error), replica: watch.readReplica() };
  }
  if ('error' in answer) {
    const missed = await classifyUnaccepted(run, answer.error, { connections, isSilent: watch.isSilent() });
    if (!missed) giveUp(run, group, stage, head.callId, watch.readFailure() ?? answer.error);
    const labels = labelContext(run, resumed);
    return { ...failUnanswered(group, { stage, input, labels }, answer.error, watch), ...missed };
  }
  if ('progress' in answer.ok) throw new Error('a progress message was taken for the answer');
  const { sequence, verdicts, replica } = answer.ok;
  const failCall = (code: ErrorCode, message: string) => ({ ...failGroup(group, { code, message }), replica });
  if (sequence !== progressed)
    return failCall('session-lost', `The answer has number ${sequence}, after ${progressed} progress messages.`);
  if (verdicts.length === 0)
    return failCall(
      'processor-not-there',
      `Replica ${replica} answered without a verdict: it does not serve the processor.`,
    );
  if (verdicts.length > group.length)
    return failCall('processor-verdict-refused', describeTooManyVerdicts(verdicts.length, group));
  return { ...split(judgeAll(stage, input, group, answer.ok, labelContext(run, resumed))), replica };
}

function labelContext(run: Run, resumed: ResumedEntry | undefined): LabelContext {
  const { conversation, taint } = run.getState();
  return { conversation, taint, toolRules: run.plan.toolRules, resumed: resumed?.entry };
}

const describeTooManyVerdicts = (count: number, group: readonly PlanEntry[]) =>
  `The replica sent ${count} verdicts for ${group.length} entries.`;

/** Keeps the verdicts before the first failure; the failing entry may be asked again. */
function split(judged: JudgedEntry[]): CallAnswer<JudgedEntry[]> {
  const at = judged.findIndex(({ verdict }) => verdict.type === 'failure');
  const failed = judged[at]?.verdict;
  if (failed?.type !== 'failure') return { answer: judged, served: judged.length };
  return { answer: judged.slice(0, at), served: at, failure: { verdict: failed, of: 'member' } };
}

/** Keeps the verdicts that the replica reported; the failure is that of the member after them. */
function failUnanswered(
  group: readonly PlanEntry[],
  { stage, input, labels }: { stage: Stage; input: StageInput; labels: LabelContext },
  error: MillraceError,
  watch: CallWatch,
): CallAnswer<JudgedEntry[]> {
  const lastReport = watch.readLastJudged();
  const before = lastReport
    ? split(judgeAll(stage, input, group, { ...lastReport, replica: watch.readReplica() }, labels))
    : undefined;
  const common = { unanswered: true, hasNoReplica: error.code === 'nobody-there', replica: watch.readReplica() };
  const at = group[before?.served ?? 0];
  if (before && (before.failure || !at)) return { ...before, ...common };
  const failed = failGroup(at && before ? [at] : group, watch.readFailure() ?? error);
  return { ...failed, ...common, ...(before && { answer: before.answer, served: before.served }) };
}

export function failGroup(
  group: readonly PlanEntry[],
  error: Pick<MillraceError, 'code' | 'message'>,
): CallAnswer<never> {
  const [first] = group;
  if (!first) throw new Error('nobody failed');
  return {
    served: 0,
    failure: { verdict: createEntryFailure(first, error), of: group.length > 1 ? 'group' : 'member' },
  };
}

/** Cancels an abandoned call at its replica: the abortSignal there fires. */
export function giveUp(
  run: Run,
  group: readonly PlanEntry[],
  stage: Stage,
  callId: string,
  { code }: Pick<MillraceError, 'code'>,
): void {
  const { access, log } = run.deps;
  // askWithPolicy logs an absent service, once for all calls that find it absent. No replica has a call to cancel.
  if (code === 'nobody-there') return;
  // Logs the code alone, because the message of a replica's answer is untrusted.
  const processors = group.map((entry) => entry.processor);
  log.warn({ runId: run.ref.runId, stage, processors, code }, 'stage call failed');
  for (const service of new Set(group.map((entry) => entry.service))) {
    publish(access.bus, access.bus.subjects.cancelCalls(service), { callIds: [callId] });
  }
}
