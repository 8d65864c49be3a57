// Watches one request while it is under way, so that a replica that is gone is noticed within about a second, and a member of a merged
// call that hangs costs the others nothing. A replica that says how far it has got (those of our runtime do) has each member held to
// its own time; one that says nothing has the time of the slowest member, and then nobody knows whose fault it was.
import type { ErrorCode, PlanEntry, StageReply } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';

/** A replica that has said nothing for so long is looked for, ms. */
const LOOK_AFTER_MS = 1_000;

type Progress = Extract<StageReply, { progress: unknown }>;

export type CallWatch = {
  /** For the request: `giveUp` ends it, which the watch does, or the run's stop. */
  onAsked(giveUp: () => void): void;
  heard(progress: Progress): void;
  /** Why the watch gave it up. */
  reason(): { code: ErrorCode; message: string } | undefined;
  /** The verdicts that the replica has told of, where it tells. */
  judged(): Progress['judged'];
  replica(): string | undefined;
  /** Nobody waits for its answer any more. */
  giveUp(): void;
  /** It was given up because a replica is there and does not answer, while another one does. */
  isSilent(): boolean;
  stop(): void;
};

/** @param lastTry nobody is asked after this one: it is given up only when there is no doubt that it is lost */
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
  const { bus } = run.deps.access;
  const connection = bus.connections();
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
  /** The answer may have gone to a connection that is no more: without a word over the new one it is lost. */
  const isLost = () => !lastTry && bus.connections() !== connection;
  const { discovery } = run.deps;
  const processor = group[0]?.processor ?? '';
  const isGone = async () => {
    const gone = await discovery.goneReplicas(processor, by);
    return gone === 'all' || (gone === 'some' && !lastTry);
  };
  const look = async () => {
    const now = performance.now();
    if (group.length > 1 && now >= limitAt) {
      const at = group[judged?.verdicts.length ?? 0];
      return end('timeout', `It did not judge within ${at?.timeoutMs ?? 0} ms.`);
    }
    if (now - heardAt >= LOOK_AFTER_MS && (await isGone().catch(() => false))) {
      return end('processor-not-there', 'The replica went away while it was at work.');
    }
    if (now - heardAt >= LOOK_AFTER_MS && !lastTry && (await discovery.hasSilent(processor, by).catch(() => false))) {
      isSilent = true;
      return end('processor-not-there', 'The replica does not answer.');
    }
    if (isLost() && performance.now() - heardAt >= LOOK_AFTER_MS) {
      if (renewed) return end('processor-not-there', 'The connection to NATS broke, and the answer with it.');
      renewed = true;
      heardAt = performance.now();
    }
    if (!over && !isGivenUp) schedule();
  };
  const schedule = () => {
    const limitMs = group.length > 1 ? limitAt - performance.now() : LOOK_AFTER_MS;
    timer = setTimeout(() => void look(), Math.max(Math.min(limitMs, LOOK_AFTER_MS), 1));
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
      // A replica that names itself tells of the verdicts, so that the member at work now is known.
      const told = progress.judged ?? judged ?? (progress.replica === undefined ? undefined : { verdicts: [], ms: [] });
      if (!told || told.verdicts.length === judged?.verdicts.length) return;
      const begun = judged || told.verdicts.length > 0 ? heardAt : started;
      judged = told;
      limitAt = begun + (limits[told.verdicts.length] ?? 0);
    },
    reason: () => reason,
    judged: () => judged,
    replica: () => by,
    giveUp: abort,
    isSilent: () => isSilent,
    stop() {
      clearTimeout(timer);
      run.signal.removeEventListener('abort', abort);
      // A look that is under way must not begin another.
      over = true;
      endRequest = undefined;
    },
  };
}
