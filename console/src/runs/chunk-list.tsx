// The chunks of a run as they were published. A long run has thousands: the list renders those in view only.
import { useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { followRun } from '../api/follow-run.ts';
import type { ChunkAt } from '../api/follow-run.ts';
import { ErrorNotice } from '../ui/feedback.tsx';
import { formatCount, formatPlural } from '../ui/format.ts';
import { addChunks, EMPTY_HISTORY, type ChunkHistory } from './chunk-history.ts';
import { describeChunk } from './describe-chunk.ts';
import { listRetractions } from './list-retractions.ts';
import './chunk-list.css';

const ROW_PX = 28;
const HEIGHT_PX = 520;
const MARGIN_ROWS = 10;

export function ChunkList({ runId }: { runId: string }) {
  const { history, error, isOpen } = useChunks(runId);
  const [top, setTop] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const { chunks } = history;
  const first = Math.max(0, Math.floor(top / ROW_PX) - MARGIN_ROWS);
  const shown = chunks.slice(first, first + Math.ceil(HEIGHT_PX / ROW_PX) + 2 * MARGIN_ROWS);
  const retractions = useMemo(() => listRetractions(chunks), [chunks]);
  if (error !== undefined) return <ErrorNotice error={error} />;
  return (
    <div className="card">
      <header className="card-head">
        <h2>{formatPlural(chunks.length, 'chunk')}</h2>
        {retractions.size > 0 && (
          <span className="muted small">
            {formatPlural(retractions.size, 'retraction')}; retracted chunks are not stored
          </span>
        )}
        <span className="muted small push">{isOpen ? 'live' : 'complete'}</span>
      </header>
      <div
        className="chunks"
        ref={box}
        role="region"
        aria-label="Chunks"
        tabIndex={0}
        style={{ height: Math.min(HEIGHT_PX, Math.max(1, chunks.length) * ROW_PX + 2) }}
        onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
      >
        <div style={{ height: chunks.length * ROW_PX, position: 'relative' }}>
          {shown.map((one, at) => (
            <ChunkRow
              key={`${one.epoch}.${one.index}`}
              one={one}
              at={first + at}
              isAfterRetract={retractions.has(first + at)}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

function ChunkRow({
  one: { epoch, index, chunk },
  at,
  isAfterRetract,
}: {
  one: ChunkAt;
  at: number;
  isAfterRetract: boolean;
}) {
  return (
    <div className="chunk" style={{ top: at * ROW_PX }} data-retract={isAfterRetract}>
      <span className="number muted">
        {epoch}.{formatCount(index)}
      </span>
      <span className="chunk-type">{chunk.type}</span>
      <code className="cut">{describeChunk(chunk)}</code>
    </div>
  );
}

type ChunkState = { history: ChunkHistory; error: unknown; isOpen: boolean };
type ChunkAction = { chunks: readonly ChunkAt[] } | { error: unknown } | 'end' | 'restart';

function reduceChunks(state: ChunkState, action: ChunkAction): ChunkState {
  if (action === 'restart') return START;
  if (action === 'end') return { ...state, isOpen: false };
  if ('error' in action) return { ...state, error: action.error, isOpen: false };
  return { ...state, history: addChunks(state.history, action.chunks) };
}

const START: ChunkState = { history: EMPTY_HISTORY, error: undefined, isOpen: true };

function useChunks(runId: string): ChunkState {
  const [state, dispatch] = useReducer(reduceChunks, START);
  useEffect(() => {
    const leaving = new AbortController();
    dispatch('restart');
    const handlers = {
      onChunks: (chunks: ChunkAt[]) => dispatch({ chunks }),
      onEnd: () => dispatch('end'),
      onConnection: () => undefined,
    };
    followRun(runId, handlers, { signal: leaving.signal }).catch((error: unknown) => {
      if (!leaving.signal.aborted) dispatch({ error });
    });
    return () => leaving.abort();
  }, [runId]);
  return state;
}
