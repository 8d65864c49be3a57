// A group that judges the input while the run goes on: what the run has under way is decided by its verdict, which is waited for before
// anything lasts or is seen. Nothing of it is in the run's state: whoever takes the run over before the verdict judges again.
import { brokenBy, endWith, type Interrupt } from './interrupt.ts';

type Judging = {
  /** Never cancels by itself. undefined: it lets the run go on, or has been given up. */
  judge(signal: AbortSignal): Promise<Interrupt | undefined>;
  /** What was under way is over, and the verdict is there. */
  settle(stopped: Interrupt | undefined): Promise<Interrupt | undefined>;
};

export type Overlap = {
  /** Once: the one before has been settled. */
  begin(judging: Judging): void;
  /** It has begun and is not settled: nothing may last yet. */
  isPending(): boolean;
  /** Its verdict is there. */
  isDecided(): boolean;
  /** Told at once where it has stopped the run already. Gives what ends the telling. */
  onStop(listener: (interrupt: Interrupt) => void): () => void;
  /** Waits for the verdict: what it stops the run with. From here on the run's own outcomes count. */
  settled(): Promise<Interrupt | undefined>;
  /** Gives it up; resolves when nothing of it is under way. */
  end(): Promise<void>;
};

export function createOverlap(): Overlap {
  const listeners = new Set<(interrupt: Interrupt) => void>();
  let current:
    | { settle: Judging['settle']; verdict: Promise<Interrupt | undefined>; giveUp: AbortController }
    | undefined;
  let isDecided = false;
  let stopped: Interrupt | undefined;
  const decide = (interrupt: Interrupt | undefined) => {
    isDecided = true;
    stopped = interrupt;
    if (interrupt) for (const tell of listeners) tell(interrupt);
    return interrupt;
  };
  return {
    begin({ judge, settle }) {
      const giveUp = new AbortController();
      isDecided = false;
      const verdict = judge(giveUp.signal).catch((error: unknown) => endWith(brokenBy(error)));
      current = { settle, verdict: verdict.then(decide), giveUp };
    },
    isPending: () => current !== undefined,
    isDecided: () => current !== undefined && isDecided,
    onStop(listener) {
      if (stopped) listener(stopped);
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async settled() {
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
