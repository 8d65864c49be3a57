// Whether another orchestrator has left, from the answers to the questions that it is asked. Pure. The server answers "no responders" at once
// if no connection subscribes to the subject: a killed process has left, a stopped or slow one has not. One such answer may be a connection
// that is being replaced, so two of them over a second count, and only if the own connection has been up long enough for the other one.
import type { PeerAnswer } from '@millrace/bus';

export type PeerState =
  | { phase: 'present' }
  | { phase: 'suspected'; since: number; answers: number }
  | { phase: 'left' };

export type PeerEvent = {
  answer: PeerAnswer;
  /** When it arrived, ms of a clock that never jumps. */
  at: number;
  /** Since when the own connection is up, ms of the same clock. */
  connectedAt: number;
};

export const SUSPECTED_MS = 1_000;
export const CONNECTED_MS = 3_000;

export const present: PeerState = { phase: 'present' };

export function reducePeer(state: PeerState, { answer, at, connectedAt }: PeerEvent): PeerState {
  if (state.phase === 'left') return state;
  if (answer !== 'no-responders') return present;
  // Answers over an earlier connection do not count.
  if (state.phase === 'present' || state.since < connectedAt) return { phase: 'suspected', since: at, answers: 1 };
  const answers = state.answers + 1;
  const isOver = answers >= 2 && at - state.since >= SUSPECTED_MS && at - connectedAt >= CONNECTED_MS;
  return isOver ? { phase: 'left' } : { ...state, answers };
}

/** Selects the peers that an orchestrator watches: the next two in the order of their ids, around a ring. Two other orchestrators watch each peer, whatever their number. Pure. */
const WATCHED = 2;

/** @param peers ids of all orchestrators; the own one may be among them */
export function choosePeers(own: string, peers: Iterable<string>): string[] {
  const others = [...new Set(peers)].filter((id) => id !== own).toSorted();
  const from = others.findIndex((id) => id > own);
  const inOrder = from < 0 ? others : [...others.slice(from), ...others.slice(0, from)];
  return inOrder.slice(0, WATCHED);
}
