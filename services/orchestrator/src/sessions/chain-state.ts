// The phases of a step's output chain, as a pure reducer: when its sessions are opened again, when a loss falls under the policy of its
// entry, when the end is sent. It knows nothing of sessions and chunks; the driver performs the effects.

/** @typeParam L a session that was lost, with its verdicts */
export type ChainState<L> = {
  /**
   * opening: sessions are opened for the first time. streaming: chunks flow through the sessions. moving: a session was lost, and all are
   * opened again. ended: the stream is over; nothing counts any more.
   */
  phase: 'opening' | 'streaming' | 'moving' | 'ended';
  /** The session that is replaced; present while moving. */
  lost?: L;
  /** A further session was lost while moving: the stream cannot continue behind the lost one. */
  hasLostMore: boolean;
  /** Nothing more is pushed. */
  isEnding: boolean;
  /** Chunks are made of the whole output and sent behind it. Once: if they are lost with their sessions, the step ends without them. */
  hasLast: boolean;
};

export type ChainEvent<L> =
  /** Sessions are linked for the first time. */
  | { type: 'begun' }
  /** @param mayMove its loss may be tried again elsewhere */
  | { type: 'lost'; lost: L; mayMove: boolean }
  /**
   * The sessions were asked for again. `isWhole`: everything that was given can be given again. `canSkip`: the lost entry may be skipped and
   * was not found again.
   */
  | { type: 'reopened'; isWhole: boolean; canSkip: boolean }
  | { type: 'end'; hasLast: boolean }
  /** Every session is done with everything that was pushed. */
  | { type: 'drained' }
  | { type: 'finished' }
  /** A processor stopped the stream, a session was lost for good, or the step is stopped from outside. */
  | { type: 'stopped' };

export type ChainEffect<L> =
  | { type: 'move'; lost: L }
  /** The policy of the lost entry applies. @param mustFail the step fails, whatever the policy is */
  | { type: 'settle'; lost: L; mustFail: boolean }
  /** Links the sessions that were opened again, and gives them all chunks of the step. */
  | { type: 'begin-again' }
  | { type: 'give-up-openings' }
  | { type: 'drain' }
  | { type: 'send-last' }
  | { type: 'end-sessions' }
  | { type: 'finish' }
  | { type: 'stop' };

export type ChainStep<L> = { state: ChainState<L>; effects: readonly ChainEffect<L>[] };

export const openChainState = <L>(): ChainState<L> => ({
  phase: 'opening',
  hasLostMore: false,
  isEnding: false,
  hasLast: false,
});

export function reduceChain<L>(state: ChainState<L>, event: ChainEvent<L>): ChainStep<L> {
  if (state.phase === 'ended') return { state, effects: [] };
  switch (event.type) {
    case 'begun':
      return { state: { ...state, phase: state.phase === 'opening' ? 'streaming' : state.phase }, effects: [] };
    case 'lost':
      return lose(state, event);
    case 'reopened':
      return reopen(state, event);
    case 'end': {
      const ending = { ...state, isEnding: true, hasLast: event.hasLast };
      return { state: ending, effects: listEndEffects(ending) };
    }
    case 'drained':
      return state.hasLast
        ? { state: { ...state, hasLast: false }, effects: [{ type: 'send-last' }, { type: 'end-sessions' }] }
        : { state, effects: [] };
    case 'finished':
      return { state: { ...state, phase: 'ended' }, effects: [{ type: 'finish' }] };
    case 'stopped':
      return { state: { ...state, phase: 'ended' }, effects: [{ type: 'stop' }] };
  }
}

function lose<L>(state: ChainState<L>, { lost, mayMove }: Extract<ChainEvent<L>, { type: 'lost' }>): ChainStep<L> {
  if (state.phase === 'moving') return { state: { ...state, hasLostMore: true }, effects: [] };
  if (!mayMove || state.phase !== 'streaming') return { state, effects: [{ type: 'settle', lost, mustFail: false }] };
  return { state: { ...state, phase: 'moving', lost, hasLostMore: false }, effects: [{ type: 'move', lost }] };
}

/** Begins again if it can; otherwise the stream continues without the lost entry, unless a further session was lost. */
function reopen<L>(
  state: ChainState<L>,
  { isWhole, canSkip }: Extract<ChainEvent<L>, { type: 'reopened' }>,
): ChainStep<L> {
  const { lost, hasLostMore, hasLast, ...rest } = state;
  if (state.phase !== 'moving' || lost === undefined) return { state, effects: [{ type: 'give-up-openings' }] };
  // A step that cannot be moved any more must not lose its last chunks with a session: it ends without them.
  const next: ChainState<L> = { ...rest, hasLast: hasLast && isWhole, hasLostMore: false, phase: 'streaming' };
  const ends = listEndEffects(next);
  if (isWhole && (hasLostMore || !canSkip)) return { state: next, effects: [{ type: 'begin-again' }, ...ends] };
  return {
    state: next,
    effects: [{ type: 'give-up-openings' }, { type: 'settle', lost, mustFail: hasLostMore }, ...ends],
  };
}

/** The sessions end once they are linked. Chunks behind the output wait for all of it. */
function listEndEffects<L>({ phase, isEnding, hasLast }: ChainState<L>): ChainEffect<L>[] {
  if (phase !== 'streaming' || !isEnding) return [];
  return [{ type: hasLast ? 'drain' : 'end-sessions' }];
}
