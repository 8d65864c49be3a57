// Calls processors over the bus: one request for a list of neighbours, policy applied to each member on its own. Answers with a
// verdict for every entry that ran; what went wrong on the way is a failure verdict, never a throw.
import {
  MillraceError,
  stageReplySchema,
  type Chunk,
  type ErrorCode,
  type PlanEntry,
  type Stage,
  type StageInput,
  type StageReply,
  type VerdictOf,
} from '@millrace/contracts';
import { publish, request } from '@millrace/bus';
import { callHead } from './call-head.ts';
import { narrowInput } from './narrow-input.ts';
import type { Run } from './run.ts';
import type { Judged } from './stage-fold.ts';

export type StageRequest = {
  stage: Stage;
  /** As it is now: the members before have been applied. */
  input: StageInput;
  /** Custom chunks that a processor writes while it works. */
  onData: (chunks: Chunk[]) => void;
};

/**
 * Asks for the group, or for the head of it that a replica serves. Always at least one verdict. `retried`: the members must
 * be asked one by one, because the call for all of them was not answered.
 */
export async function callProcessors(run: Run, group: readonly PlanEntry[], ask: StageRequest): Promise<Judged[]> {
  const [first] = group;
  if (!first) return [];
  if (group.length > 1) {
    const merged = await attempt(run, group, ask, undefined);
    // Without an answer its members are asked again one by one, so that policy falls on one.
    if ('judged' in merged) return merged.judged.map(counted(1));
  }
  return callOne(run, first, ask);
}

async function callOne(run: Run, entry: PlanEntry, ask: StageRequest): Promise<Judged[]> {
  let replica: string | undefined;
  let last: Judged = { entry, verdict: failureOf(entry, notTried), ms: 0, attempts: 0 };
  for (let count = 1; count <= entry.attempts && !run.signal.aborted; count++) {
    const started = performance.now();
    const outcome = await attempt(run, [entry], ask, replica);
    if ('judged' in outcome) {
      last = counted(count)(outcome.judged[0] ?? last);
      if (!mayBeTriedAgain(last)) return [last];
    } else {
      last = { entry, verdict: failureOf(entry, outcome.error), ms: performance.now() - started, attempts: count };
      if (outcome.error.code === 'message-too-large' || outcome.error.code === 'not-json') return [last];
    }
    if (count === entry.attempts) break;
    replica = await run.deps.discovery.replicaThatAnswers(entry.processor, run.signal);
    if (replica === undefined) break;
  }
  return [last];
}

const notTried: Pick<MillraceError, 'code' | 'message'> = {
  code: 'cancelled',
  message: 'The run was stopped before the call.',
};

const counted =
  (attempts: number) =>
  (judged: Judged): Judged => ({ ...judged, attempts });

function mayBeTriedAgain({ verdict }: Judged): boolean {
  return verdict.type === 'failure' && verdict.retryable;
}

type Attempt = { judged: Judged[] } | { error: MillraceError };

async function attempt(
  run: Run,
  group: readonly PlanEntry[],
  ask: StageRequest,
  replica: string | undefined,
): Promise<Attempt> {
  const { bus } = run.deps.access;
  const head = callHead(run, group);
  const answer = await request<StageReply>(bus, {
    subject: bus.subjects.stage(ask.stage, group[0]?.processor ?? '', replica),
    payload: { ...head, stage: ask.stage, input: narrowInput(ask.input, group) },
    reply: stageReplySchema,
    timeoutMs: head.timeoutMs,
    signal: run.signal,
    progressOf: (reply) => ('progress' in reply ? reply.n : 'final'),
    onProgress: (reply) => {
      if ('progress' in reply) ask.onData(reply.progress);
    },
  });
  if ('error' in answer) {
    const { code, message } = answer.error;
    const processors = group.map((entry) => entry.processor);
    run.deps.log.warn(
      { runId: run.ref.runId, stage: ask.stage, processors, code, error: message },
      'a stage call was not answered',
    );
    giveUp(run, group, head.callId, code);
    return answer;
  }
  const judged = 'progress' in answer.ok ? [] : judge(group, answer.ok);
  return judged.length > 0
    ? { judged }
    : { error: new MillraceError('processor-not-there', 'The replica judged nothing.') };
}

function judge(
  group: readonly PlanEntry[],
  { verdicts, ms, replica }: Extract<StageReply, { verdicts: unknown }>,
): Judged[] {
  return group.flatMap((entry, at) => {
    const verdict = verdicts[at];
    return verdict ? [{ entry, verdict, ms: ms[at] ?? 0, attempts: 1, replica }] : [];
  });
}

/** A call that is given up is cancelled where it runs: its abortSignal fires. */
function giveUp(run: Run, group: readonly PlanEntry[], callId: string, code: ErrorCode): void {
  if (code !== 'timeout' && code !== 'cancelled') return;
  const { bus } = run.deps.access;
  for (const service of new Set(group.map((entry) => entry.service))) {
    publish(bus, bus.subjects.cancelCalls(service), { callIds: [callId] });
  }
}

/** The bus's words in the run's: who did not answer, at what. */
export function failureOf(entry: PlanEntry, error: Pick<MillraceError, 'code' | 'message'>): VerdictOf<'failure'> {
  const codes: Partial<Record<ErrorCode, ErrorCode>> = {
    'nobody-there': 'processor-not-there',
    timeout: 'processor-timeout',
  };
  const code = codes[error.code] ?? error.code;
  return { type: 'failure', code, message: `"${entry.entry}" (${entry.processor}): ${error.message}`, retryable: true };
}
