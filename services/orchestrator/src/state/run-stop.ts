// What stops a run from outside. Fencing has a signal of its own: a run that is ending already, cancelled or over its deadline, can
// still lose its owner, and must then not write its ending.

/** Why a run's signal fired, the first time. `leaving`: it goes on from its last checkpoint elsewhere. */
export type StopReason = 'cancelled' | 'deadline' | 'leaving' | 'fenced';

/** Whether what a stopped run has not decided yet is of no use: its next owner decides anew. */
export const isGivenAway = ({ reason }: AbortSignal): boolean =>
  reason === ('fenced' satisfies StopReason) || reason === ('leaving' satisfies StopReason);

export type RunStop = {
  /** Fires once, with a StopReason. */
  signal: AbortSignal;
  /** The run has another owner, or must be let go here. */
  fenced: AbortSignal;
  stop(reason: 'cancelled' | 'deadline' | 'leaving'): void;
  /** This orchestrator stops: the run is handed over at its next checkpoint. */
  leave(): void;
  isLeaving(): boolean;
  /** The run is driven here in this epoch: what is said of it, or of those before it, fences somebody else. */
  own(epoch: number): void;
  /** Whether the run is driven here in an earlier epoch than that. */
  isBefore(epoch: number): boolean;
  /** @param epoch of the new owner; absent: the run is let go here, whoever owns it */
  fence(epoch?: number): void;
};

export function createRunStop(): RunStop {
  const stopping = new AbortController();
  const fencing = new AbortController();
  let owned = 0;
  let leaving = false;
  const stop = (reason: StopReason) => stopping.abort(reason);
  return {
    signal: stopping.signal,
    fenced: fencing.signal,
    stop,
    leave: () => void (leaving = true),
    isLeaving: () => leaving,
    own: (epoch) => void (owned = epoch),
    isBefore: (epoch) => owned < epoch,
    fence(epoch) {
      if (epoch !== undefined && epoch <= owned) return;
      fencing.abort();
      stop('fenced');
    },
  };
}
