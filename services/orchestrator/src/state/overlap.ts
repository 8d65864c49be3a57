// Tracks a group that judges the input while the run continues. The run waits for the verdict before anything is stored
// or released. The overlap is not part of the run's state: an owner that takes the run over before the verdict judges
// again.
import { toBrokenEnding, type Interrupt } from './interrupt.ts';

type OverlapJudging = {
  /** Never cancels by itself. Returns undefined if the group passes the run or was abandoned. */
  judge(signal: AbortSignal): Promise<Interrupt | undefined>;
  /** Runs when the overlapped work has ended and the verdict is known. */
  settle(stopped: Interrupt | undefined): Promise<Interrupt | undefined>;
};

export type Overlap = {
  /** Starts an overlap. The previous one has been settled. */
  begin(judging: OverlapJudging): void;
  /** Returns whether an overlap has begun and is not settled: nothing may be stored yet. */
  isPending(): boolean;
  /** Returns whether a verdict has stopped the run or a part of it, or was given up: the input counts as not judged. */
  hasStopped(): boolean;
  /** Returns whether the verdict is known. */
  isDecided(): boolean;
  /**
   * Calls the listener when the verdict stops the run, at once if it has already. Returns a function that removes the
   * listener.
   */
  onStop(listener: (interrupt: Interrupt) => void): () => void;
  /** Waits for the verdict and returns the interrupt, if any. Afterwards the run's own outcomes count. */
  awaitVerdict(): Promise<Interrupt | undefined>;
  /** Abandons the overlap; resolves when no call of it is in progress. */
  end(): Promise<void>;
};

export function createOverlap(): Overlap {
  const listeners = new Set<(interrupt: Interrupt) => void>();
  let current:
    | { settle: OverlapJudging['settle']; verdict: Promise<Interrupt | undefined>; giveUp: AbortController }
    | undefined;
  let isDecided = false;
  let stopped: Interrupt | undefined;
  let hasStopped = false;
  const decide = (interrupt: Interrupt | undefined) => {
    isDecided = true;
    hasStopped ||= interrupt !== undefined;
    stopped = interrupt;
    if (interrupt) for (const notify of listeners) notify(interrupt);
    return interrupt;
  };
  return {
    begin({ judge, settle }) {
      const giveUp = new AbortController();
      isDecided = false;
      const verdict = judge(giveUp.signal).catch(toBrokenEnding);
      current = { settle, verdict: verdict.then(decide), giveUp };
    },
    isPending: () => current !== undefined,
    hasStopped: () => hasStopped,
    isDecided: () => current !== undefined && isDecided,
    onStop(listener) {
      if (stopped) listener(stopped);
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async awaitVerdict() {
      if (!current) return undefined;
      const { verdict, settle } = current;
      const interrupt = await verdict;
      current = undefined;
      stopped = undefined;
      return settle(interrupt);
    },
    async end() {
      current?.giveUp.abort();
      await current?.verdict;
      current = undefined;
      stopped = undefined;
    },
  };
}
