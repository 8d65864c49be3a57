// Calls processors over the bus. Gives a verdict for each entry, in order; what went wrong on the way is a failure verdict, never a
// throw.
import { narrowInput, stageReplySchema, type Chunk, type PlanEntry, type Stage } from '@millrace/contracts';
import type { ErrorCode, MillraceError, StageInput, StageReply } from '@millrace/contracts';
import { publish, request } from '@millrace/bus';
import { askWithPolicy, type Asked, type Target } from './ask-with-policy.ts';
import { callHead, readsOf, type Resumed } from './call-request.ts';
import { createProgressBudget, TOO_MUCH_PROGRESS } from './progress-budget.ts';
import { isDeferrable } from '../state/put-off-saves.ts';
import type { Run } from '../state/run-context.ts';
import { entryFailure, judge, judgeAll, type Judged } from './verdict-fold.ts';
import { notTaken } from './not-taken.ts';
import { watchCall, type CallWatch } from './watch-call.ts';

export type StageRequest = {
  stage: Stage;
  input: StageInput;
  /** Custom chunks that processors write while they work, and the entries that are at work. */
  onData: (chunks: Chunk[], group: readonly PlanEntry[]) => void;
  resumed?: Resumed | undefined;
};

/** How long a save waits for its memory's service, ms: longer than a replica takes to restart. It is deferred then, and the run ends. */
const SAVE_ABSENT_MS = 3_000;

/** Each entry is asked when the caller wants its verdict; it sees what those before it changed. */
export async function* callProcessors(
  run: Run,
  entries: readonly PlanEntry[],
  { stage, input, onData, resumed }: StageRequest,
): AsyncGenerator<Judged, void, void> {
  let current = input;
  const once = writeOnce(onData);
  const ask = (group: PlanEntry[], to: Target) =>
    askStage(run, group, to, { stage, input: current, onData: once(), resumed });
  const absentMs = (entry: PlanEntry) =>
    stage === 'processOutputResult' && isDeferrable(entry) ? SAVE_ABSENT_MS : entry.timeoutMs;
  for await (const outcome of askWithPolicy(run, entries, ask, { stage, absentMs })) {
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

/** A stage that is tried again writes its chunks again: those that are out already are counted off, entry by entry. */
function writeOnce(onData: StageRequest['onData']) {
  const out = new Map<string, number>();
  return (): ((entry: string, chunks: Chunk[], group: readonly PlanEntry[]) => void) => {
    const seen = new Map<string, number>();
    return (entry, chunks, group) => {
      const before = seen.get(entry) ?? 0;
      const known = out.get(entry) ?? 0;
      seen.set(entry, before + chunks.length);
      out.set(entry, Math.max(known, before + chunks.length));
      const fresh = chunks.slice(Math.max(known - before, 0));
      if (fresh.length > 0) onData(fresh, group);
    };
  };
}

type StageAsk = Pick<StageRequest, 'stage' | 'input' | 'resumed'> & {
  onData: ReturnType<ReturnType<typeof writeOnce>>;
};

async function askStage(run: Run, group: PlanEntry[], to: Target, ask: StageAsk): Promise<Asked<Judged[]>> {
  const { stage, input, onData, resumed } = ask;
  const { bus } = run.deps.access;
  const [first] = group;
  if (!first) throw new Error('no processor was to be called');
  const head = callHead(run, stage, group, resumed);
  const watch = watchCall(run, group, to.lastTry, to.replica);
  const budget = createProgressBudget();
  let progressed = 0;
  let refused: string | undefined;
  const connections = bus.connections();
  const answer = await request<StageReply>(bus, {
    subject: bus.subjects.stage(stage, first.processor, to.replica),
    payload: { ...head, stage, input: narrowInput(input, readsOf(stage, group)) },
    reply: stageReplySchema,
    timeoutMs: head.timeoutMs,
    onAsked: watch.onAsked,
    progressOf: (reply) => ('progress' in reply ? reply.sequence : 'final'),
    onProgress: (reply) => {
      if (!('progress' in reply)) return;
      progressed += 1;
      const { entry = first.entry, progress, judged } = reply;
      if (judged && judged.verdicts.length > group.length) refused = tooManyVerdicts(judged.verdicts.length, group);
      else if (!budget.takes(progress)) refused = `It ${TOO_MUCH_PROGRESS}`;
      if (refused !== undefined) return watch.giveUp();
      watch.heard(reply);
      to.call.heard(reply.replica);
      if (progress.length > 0) onData(entry, progress, group);
    },
  });
  watch.stop();
  if (refused !== undefined) {
    const error = { code: 'processor-verdict-refused' as const, message: refused };
    giveUp(run, group, stage, head.callId, error);
    return { ...failedOf(group, error), replica: watch.replica() };
  }
  if ('error' in answer) {
    const missed = await notTaken(run, answer.error, { connections, isSilent: watch.isSilent() });
    if (!missed) giveUp(run, group, stage, head.callId, watch.reason() ?? answer.error);
    return { ...unanswered(group, { stage, input }, answer.error, watch), ...missed };
  }
  if ('progress' in answer.ok) throw new Error('a progress message was taken for the answer');
  const { sequence, verdicts, replica } = answer.ok;
  const failed = (code: ErrorCode, message: string) => ({ ...failedOf(group, { code, message }), replica });
  if (sequence !== progressed)
    return failed('session-lost', `The answer has number ${sequence}, after ${progressed} progress messages.`);
  if (verdicts.length === 0)
    return failed(
      'processor-not-there',
      `Replica ${replica} answered without a verdict: it does not serve the processor.`,
    );
  if (verdicts.length > group.length)
    return failed('processor-verdict-refused', tooManyVerdicts(verdicts.length, group));
  return { ...split(judgeAll(stage, input, group, answer.ok)), replica };
}

const tooManyVerdicts = (count: number, group: readonly PlanEntry[]) =>
  `The replica sent ${count} verdicts for ${group.length} entries.`;

/** Those before the first that failed stand; that one may be asked again. */
function split(judged: Judged[]): Asked<Judged[]> {
  const at = judged.findIndex(({ verdict }) => verdict.type === 'failure');
  const failed = judged[at]?.verdict;
  if (failed?.type !== 'failure') return { answer: judged, served: judged.length };
  return { answer: judged.slice(0, at), served: at, failure: { verdict: failed, of: 'member' } };
}

/** What the replica has told of stands all the same, and the failure is then that of the member after it. */
function unanswered(
  group: readonly PlanEntry[],
  { stage, input }: { stage: Stage; input: StageInput },
  error: MillraceError,
  watch: CallWatch,
): Asked<Judged[]> {
  const told = watch.judged();
  const before = told ? split(judgeAll(stage, input, group, { ...told, replica: watch.replica() })) : undefined;
  const common = { unanswered: true, nobodyThere: error.code === 'nobody-there', replica: watch.replica() };
  const at = group[before?.served ?? 0];
  if (before && (before.failure || !at)) return { ...before, ...common };
  const failed = failedOf(at && before ? [at] : group, watch.reason() ?? error);
  return { ...failed, ...common, ...(before && { answer: before.answer, served: before.served }) };
}

export function failedOf(group: readonly PlanEntry[], error: Pick<MillraceError, 'code' | 'message'>): Asked<never> {
  const [first] = group;
  if (!first) throw new Error('nobody failed');
  return { served: 0, failure: { verdict: entryFailure(first, error), of: group.length > 1 ? 'group' : 'member' } };
}

/** A call that is given up is cancelled where it runs: its abortSignal fires. */
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
