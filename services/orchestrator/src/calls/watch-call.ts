// Watches a request in progress: a lost replica is detected within about a second, and a hanging member of a merged
// call does not delay the others. If the replica reports its progress (our runtime does), each member is held to its
// own time. If not, the group has the time of its slowest member, and the failing member is unknown.
import type { ErrorCode, PlanEntry, StageReply } from '@millrace/contracts';
import type { Deps, Run } from '../state/run-context.ts';

/** Time without a message after which the replica is looked for, ms. */
const LOOK_AFTER_MS = 1_000;

type Progress = Extract<StageReply, { progress: unknown }>;

export type CallWatch = {
  /** Receives the function that ends the request: the watch or the run's stop calls it. */
  onAsked(giveUp: () => void): void;
  heard(progress: Progress): void;
  /** Returns the reason for which the watch ended the request. */
  reason(): { code: ErrorCode; message: string } | undefined;
  /** Returns the verdicts that the replica has reported, if it reports any. */
  lastJudged(): Progress['judged'];
  replica(): string | undefined;
  /** Ends the request: its answer is not needed any more. */
  giveUp(): void;
  /** Returns whether the request was ended because its replica runs but does not answer, while another one does. */
  isSilent(): boolean;
  stop(): void;
};

const untilLook = (limitAt: number): number => Math.max(Math.min(limitAt - performance.now(), LOOK_AFTER_MS), 1);

/** Of a call without entries, which no replica serves. */
const NO_ENTRY = { service: '', processor: '' };

/** On the last attempt the loss of one replica is not sufficient: another one may have the call. */
async function isCallLost(
  goneReplicas: ReturnType<Deps['discovery']['goneReplicas']>,
  lastTry: boolean,
): Promise<boolean> {
  const gone = await goneReplicas;
  return gone === 'all' || (gone === 'some' && !lastTry);
}

/** @param lastTry no further attempt follows: the request is ended only if it is certainly lost */
export function watchCall(run: Run, group: readonly PlanEntry[], lastTry: boolean, replica?: string): CallWatch {
  let endRequest: (() => void) | undefined;
  let isGivenUp = false;
  const started = performance.now();
  const limits = group.map((entry) => entry.timeoutMs);
  let limitAt = started + Math.max(...limits);
  let heardAt = started;
  let judged: Progress['judged'];
  let by = replica;
  let reason: ReturnType<CallWatch['reason']>;
  let timer: NodeJS.Timeout | undefined;
  const { discovery, access } = run.deps;
  const connection = access.bus.connections();
  let renewed = false;
  let over = false;
  let isSilent = false;

  const abort = () => {
    isGivenUp = true;
    endRequest?.();
  };
  const end = (code: ErrorCode, message: string) => {
    if (over || isGivenUp) return;
    reason = { code, message };
    abort();
  };
  /** The answer may have been sent over the previous connection: without a message over the new one it is lost. */
  const isLost = () => !lastTry && access.bus.connections() !== connection;
  const [served = NO_ENTRY] = group;
  const isGone = () => isCallLost(discovery.goneReplicas(served, by), lastTry);
  const look = async () => {
    const now = performance.now();
    if (group.length > 1 && now >= limitAt) {
      return end('timeout', `It returned no verdict within ${limits[judged?.verdicts.length ?? 0] ?? 0} ms.`);
    }
    if (now - heardAt >= LOOK_AFTER_MS && (await isGone().catch(() => false))) {
      return end('processor-not-there', 'The replica was lost during the call.');
    }
    if (now - heardAt >= LOOK_AFTER_MS && !lastTry && (await discovery.hasSilent(served, by).catch(() => false))) {
      isSilent = true;
      return end('processor-not-there', 'The replica does not answer.');
    }
    if (isLost() && performance.now() - heardAt >= LOOK_AFTER_MS) {
      if (renewed) return end('processor-not-there', 'The connection to NATS broke, and the answer was lost.');
      renewed = true;
      heardAt = performance.now();
    }
    if (!over && !isGivenUp) schedule();
  };
  const schedule = () => {
    timer = setTimeout(() => void look(), untilLook(group.length > 1 ? limitAt : Infinity));
  };
  run.signal.addEventListener('abort', abort, { once: true });
  if (run.signal.aborted) abort();
  if (group.length > 1 || Math.max(...limits) > LOOK_AFTER_MS) schedule();
  return {
    onAsked(giveUp) {
      if (isGivenUp) giveUp();
      else endRequest = giveUp;
    },
    heard(progress) {
      heardAt = performance.now();
      by = progress.replica ?? by;
      // A replica that names itself reports verdicts, so that the member at work is known.
      const told = progress.judged ?? judged ?? (progress.replica === undefined ? undefined : { verdicts: [], ms: [] });
      if (!told || told.verdicts.length === judged?.verdicts.length) return;
      const begun = judged || told.verdicts.length > 0 ? heardAt : started;
      judged = told;
      limitAt = begun + (limits[told.verdicts.length] ?? 0);
    },
    reason: () => reason,
    lastJudged: () => judged,
    replica: () => by,
    giveUp: abort,
    isSilent: () => isSilent,
    stop() {
      clearTimeout(timer);
      run.signal.removeEventListener('abort', abort);
      // A look in progress must not schedule another one.
      over = true;
      endRequest = undefined;
    },
  };
}
