// The turns of a chat that this page has started or joined. Pure: a reducer over the chunks that arrive.
import type { ChunkAt, RunEnd } from '../api/follow-run.ts';
import { addChunks, EMPTY_HISTORY, type ChunkHistory } from '../runs/chunk-history.ts';

export type Turn = {
  /** Unique in the page; also the idempotency key of its start. */
  key: string;
  /** The words of the user; undefined if they were blocked before they were stored. */
  text: string | undefined;
  runId: string | undefined;
  history: ChunkHistory;
  phase: 'starting' | 'streaming' | 'suspended' | 'ended';
  isConnected: boolean;
  end: RunEnd | undefined;
  /** The start or the stream was refused. */
  error: unknown;
};

export type TurnAction =
  | { type: 'started'; key: string; text: string }
  | { type: 'joined'; key: string; text: string | undefined; runId: string }
  | { type: 'accepted'; key: string; runId: string }
  | { type: 'chunks'; key: string; chunks: readonly ChunkAt[] }
  | { type: 'connection'; key: string; isConnected: boolean }
  | { type: 'ended'; key: string; end: RunEnd }
  | { type: 'resumed'; key: string }
  | { type: 'refused'; key: string; error: unknown };

const createTurn = (key: string, text: string | undefined, runId?: string): Turn => ({
  key,
  text,
  runId,
  history: EMPTY_HISTORY,
  phase: runId === undefined ? 'starting' : 'streaming',
  isConnected: true,
  end: undefined,
  error: undefined,
});

export function reduceTurns(turns: readonly Turn[], action: TurnAction): readonly Turn[] {
  if (action.type === 'started') return [...turns, createTurn(action.key, action.text)];
  if (action.type === 'joined') {
    const isKnown = turns.some(({ runId }) => runId === action.runId);
    return isKnown ? turns : [...turns, createTurn(action.key, action.text, action.runId)];
  }
  return turns.map((turn) => (turn.key === action.key ? changeTurn(turn, action) : turn));
}

type Change = Exclude<TurnAction, { type: 'started' | 'joined' }>;

function changeTurn(turn: Turn, action: Change): Turn {
  switch (action.type) {
    case 'accepted':
      return { ...turn, runId: action.runId, phase: turn.phase === 'starting' ? 'streaming' : turn.phase };
    case 'chunks':
      return { ...turn, history: addChunks(turn.history, action.chunks) };
    case 'connection':
      return turn.isConnected === action.isConnected ? turn : { ...turn, isConnected: action.isConnected };
    case 'ended':
      return {
        ...turn,
        end: action.end,
        isConnected: true,
        phase: action.end.status === 'suspended' ? 'suspended' : 'ended',
      };
    case 'resumed':
      return { ...turn, phase: 'streaming', error: undefined };
    case 'refused':
      return { ...turn, error: action.error, phase: 'ended' };
  }
}

/** True while the chat accepts no further message. */
export const isBusy = (turn: Turn | undefined): boolean =>
  turn !== undefined && (turn.phase === 'starting' || turn.phase === 'streaming');
