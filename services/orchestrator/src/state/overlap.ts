// Tracks a group that judges the input while the run continues. The run waits for the verdict before anything is stored
// or released. The overlap is not part of the run's state: an owner that takes the run over before the verdict judges
// again.
import { toBrokenEnding, type Interrupt } from './interrupt.ts';

type OverlapJudging = {
  /** Never cancels by itself. Returns `abandoned` if the group was stopped before its verdict. */
  judge(signal: AbortSignal): Promise<Interrupt | 'passed' | 'abandoned'>;
  /** Runs when the overlapped work has ended and the verdict is known. */
  settle(stopped: Interrupt | undefined): Promise<Interrupt | undefined>;
};

export type Overlap = {
  /** Starts an overlap. The previous one has been settled. */
  begin(judging: OverlapJudging): void;
  /** Returns whether an overlap has begun and is not settled: nothing may be stored yet. */
  isPending(): boolean;
  /** Returns whether the last overlap has not passed the input: its verdict is missing, was abandoned or has stopped the run. */
  isUnjudged(): boolean;
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
  let isUnjudged = false;
  const decide = (verdict: Interrupt | 'passed' | 'abandoned') => {
    isDecided = true;
    isUnjudged = verdict !== 'passed';
    stopped = typeof verdict === 'string' ? undefined : verdict;
    if (stopped) for (const notify of listeners) notify(stopped);
    return stopped;
  };
  return {
    begin({ judge, settle }) {
      const giveUp = new AbortController();
      isDecided = false;
      isUnjudged = true;
      const verdict = judge(giveUp.signal).catch(toBrokenEnding);
      current = { settle, verdict: verdict.then(decide), giveUp };
    },
    isPending: () => current !== undefined,
    isUnjudged: () => isUnjudged,
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
