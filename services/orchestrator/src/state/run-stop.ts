// Signals that stop a run from outside. Fencing has a signal of its own: a run that is ending, cancelled or past its
// deadline can still lose its owner, and must then not write its ending.

/** The reason for which a run's signal fired first. `leaving`: the run continues from its last checkpoint elsewhere. */
export type StopReason = 'cancelled' | 'deadline' | 'leaving' | 'fenced';

/** Returns whether undecided work of a stopped run is useless, because its next owner decides again. */
export const isGivenAway = ({ reason }: AbortSignal): boolean =>
  reason === ('fenced' satisfies StopReason) || reason === ('leaving' satisfies StopReason);

export type RunStop = {
  /** Fires once, with a StopReason. */
  signal: AbortSignal;
  /** Fires if the run has another owner or has to be released here. */
  fenced: AbortSignal;
  stop(reason: 'cancelled' | 'deadline' | 'leaving'): void;
  /** Hands the run over at its next checkpoint, because this orchestrator stops. */
  leave(): void;
  isLeaving(): boolean;
  /**
   * Sets the epoch in which the run is driven here: a control message for this epoch or an earlier one fences another
   * owner.
   */
  setEpoch(epoch: number): void;
  /** Returns whether the run is driven here in an earlier epoch. */
  isBefore(epoch: number): boolean;
  /** @param epoch of the new owner; absent: the run is released here, whatever its owner is */
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
    setEpoch: (epoch) => void (owned = epoch),
    isBefore: (epoch) => owned < epoch,
    fence(epoch) {
      if (epoch !== undefined && epoch <= owned) return;
      fencing.abort();
      stop('fenced');
    },
  };
}
