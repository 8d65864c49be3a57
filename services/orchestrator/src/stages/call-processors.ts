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
import type { Run } from '../state/run-context.ts';
import { emptyFold, foldVerdict, type Judged } from './verdict-fold.ts';

export type StageRequest = {
  stage: Stage;
  /** As it is now: the members before have been applied. */
  input: StageInput;
  /** Custom chunks that a processor writes while it works. */
  onData: (chunks: Chunk[]) => void;
};

/**
 * Asks for the group in one call, or for the head of it that a replica serves. At least one verdict, in the order of the group;
 * none behind one that stops, so the caller asks again for the rest.
 */
export async function callProcessors(run: Run, group: readonly PlanEntry[], ask: StageRequest): Promise<Judged[]> {
  const [first] = group;
  if (!first) return [];
  if (group.length === 1) return [await callOne(run, first, ask)];
  const merged = await attempt(run, group, ask, undefined);
  // Without an answer its members are asked again one by one, so that policy falls on one.
  if (!('judged' in merged)) return callOneByOne(run, group, ask);
  const { judged } = merged;
  const last = judged.at(-1);
  if (!last || !mayBeTriedAgain(last)) return judged;
  // The member that failed has had one of its attempts; it is asked alone for the others, behind what was judged before it.
  const before = judged.slice(0, -1);
  const fold = foldJudged(ask, before);
  return fold.ended ? before : [...before, await callOne(run, last.entry, { ...ask, input: fold.input }, last)];
}

/** Each sees what the one before it changed; up to the first that does not simply go on. */
async function callOneByOne(run: Run, group: readonly PlanEntry[], ask: StageRequest): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const entry of group) {
    const { input, ended } = foldJudged(ask, judged);
    if (ended) break;
    judged.push(await callOne(run, entry, { ...ask, input }));
  }
  return judged;
}

/** The input as the verdicts so far leave it. `ended`: one of them stopped, or failed: nothing may be asked behind it yet. */
function foldJudged({ stage, input }: StageRequest, judged: readonly Judged[]) {
  const fold = judged.reduce((sum, one) => foldVerdict(stage, sum, one), emptyFold(input));
  return { input: fold.input, ended: fold.outcomes.some(({ verdict }) => verdict !== 'continue') };
}

/** @param failed how the first attempt went, where there was one */
async function callOne(run: Run, entry: PlanEntry, ask: StageRequest, failed?: Judged): Promise<Judged> {
  let last: Judged = failed ?? { entry, verdict: failureOf(entry, notTried), ms: 0, attempts: 0 };
  while (last.attempts < entry.attempts && !run.signal.aborted) {
    const again = last.attempts > 0;
    const replica = again
      ? await run.deps.discovery.replicaThatAnswers(entry.processor, run.signal, last.replica)
      : undefined;
    if (again && replica === undefined) break;
    const attempts = last.attempts + 1;
    const started = performance.now();
    const outcome = await attempt(run, [entry], ask, replica);
    const judged = 'judged' in outcome ? outcome.judged[0] : undefined;
    const error = 'error' in outcome ? outcome.error : nothingJudged;
    last = judged
      ? { ...judged, attempts }
      : { entry, verdict: failureOf(entry, error), ms: performance.now() - started, attempts, replica };
    if (!mayBeTriedAgain(last)) break;
  }
  return last;
}

const notTried: Pick<MillraceError, 'code' | 'message'> = {
  code: 'cancelled',
  message: 'The run was stopped before the call.',
};

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
    progressOf: (reply) => ('progress' in reply ? reply.sequence : 'final'),
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
  return judged.length > 0 ? { judged } : { error: nothingJudged };
}

const nothingJudged = new MillraceError('processor-not-there', 'The replica judged nothing.');

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

/** Asking again, somebody else, would give the same. */
const PERMANENT: readonly ErrorCode[] = ['message-too-large', 'not-json', 'cancelled'];

/** The bus's words in the run's: who did not answer, at what. */
export function failureOf(entry: PlanEntry, error: Pick<MillraceError, 'code' | 'message'>): VerdictOf<'failure'> {
  const codes: Partial<Record<ErrorCode, ErrorCode>> = {
    'nobody-there': 'processor-not-there',
    timeout: 'processor-timeout',
  };
  const code = codes[error.code] ?? error.code;
  const retryable = !PERMANENT.includes(code);
  return { type: 'failure', code, message: `"${entry.entry}" (${entry.processor}): ${error.message}`, retryable };
}
