// The calls that a run has under way, kept for `inspect` and for clients that wait. A call that has no answer after NOTICE_AFTER_MS is
// reported to the followers of the run in a transient chunk; the policy of the call does not change.
import type { CallActivity, CallState } from '@millrace/contracts';

/** How long a call has no answer before the run's followers are notified, ms. */
export const NOTICE_AFTER_MS = 2_000;
/** Between two notices about one call, so that a follower that joins later gets one too, ms. */
const NOTICE_EVERY_MS = 10_000;

export type NewCall = Pick<CallActivity, 'kind' | 'names'> & Partial<Pick<CallActivity, 'stage' | 'service'>>;

export type TrackedCall = {
  /** The called side has sent something. */
  receive(replica?: string): void;
  /** The call cannot be made now, or is sent again. */
  setState(state: CallState): void;
  setAttempt(attempt: number): void;
  end(): void;
};

export type RunActivity = {
  begin(call: NewCall): TrackedCall;
  /** Calls under way, the oldest first. */
  list(): CallActivity[];
};

export type ActivityOptions = {
  /** Reports a call that has no answer yet. Absent: no notices. */
  notify?: (call: CallActivity) => void;
  /** Receives each call when it has ended. */
  onEnded?: (call: CallActivity) => void;
};

type ActiveCall = NewCall & {
  attempt: number;
  state: CallState;
  replica?: string;
  startedAt: number;
  receivedAt: number;
};

export function createRunActivity({ notify, onEnded: ended }: ActivityOptions = {}): RunActivity {
  const calls = new Set<ActiveCall>();
  const begin = (call: NewCall): TrackedCall => {
    const now = performance.now();
    const entry: ActiveCall = { ...call, attempt: 1, state: 'asked', startedAt: now, receivedAt: now };
    calls.add(entry);
    let timer: NodeJS.Timeout | undefined;
    const schedule = (waitMs: number) => {
      timer = setTimeout(() => {
        notify?.(describeActivity(entry));
        schedule(NOTICE_EVERY_MS);
      }, waitMs);
    };
    if (notify && isNoticed(call)) schedule(NOTICE_AFTER_MS);
    return {
      receive(replica) {
        entry.receivedAt = performance.now();
        entry.state = 'working';
        if (replica !== undefined) entry.replica = replica;
      },
      setState: (state) => void (entry.state = state),
      setAttempt: (attempt) => void (entry.attempt = attempt),
      end() {
        clearTimeout(timer);
        if (calls.delete(entry)) ended?.(describeActivity(entry));
      },
    };
  };
  return { begin, list: () => [...calls].map(describeActivity) };
}

/** Followers see the chunks of a model and the call of a tool; they do not see the work of a processor or of the store. */
const isNoticed = ({ kind }: NewCall): boolean => kind === 'processor' || kind === 'store';

function describeActivity({ startedAt, receivedAt, ...entry }: ActiveCall): CallActivity {
  const now = performance.now();
  return { ...entry, ageMs: Math.round(now - startedAt), silentMs: Math.round(now - receivedAt) };
}
