// Adds judged calls to the open step, and counts the allowed ones by tool. Pure.
import { getOwnMember, type PlacedCall, type RunAction, type RunState } from '@millrace/contracts';

export type OpenStep = NonNullable<RunState['open']>;

export function withJudged(open: OpenStep, { call, denied }: Extract<RunAction, { action: 'call-judged' }>): OpenStep {
  return {
    ...open,
    calls: [...(open.calls ?? []), ...(call ? [call] : [])],
    results: [...open.results, ...(denied ? [denied] : [])],
  };
}

/** Counts the calls that the step has to make. The count stays if the step is repeated, because it has made them. */
export function addJudged(state: RunState, open: OpenStep, allowed: readonly PlacedCall[]): RunState {
  const toolCalls = allowed.reduce(
    (counts, { toolName }) => ({ ...counts, [toolName]: (getOwnMember(counts, toolName) ?? 0) + 1 }),
    state.toolCalls,
  );
  return { ...state, open, toolCalls };
}
