// One turn: the words of the user, the answer as it streams, and how it ended.
import { CircleSlash, CloudOff, OctagonX, Undo2 } from 'lucide-react';
import { memo, useMemo } from 'react';
import { Link } from '@tanstack/react-router';
import { ErrorNotice } from '../ui/feedback.tsx';
import { Markdown } from '../ui/markdown.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { buildAnswer, readText, type Ending, type Piece } from './answer-pieces.ts';
import { CallCard, type RunPhase } from './call-card.tsx';
import type { Turn } from './chat-turns.ts';
import { PendingCards } from './pending-cards.tsx';
import type { Chat } from './use-chat.ts';
import { UserText } from './user-text.tsx';

export const TurnView = memo(function TurnView({ turn, chat }: { turn: Turn; chat: Chat }) {
  const { history, phase, isConnected, error, runId, end } = turn;
  const answer = useMemo(() => buildAnswer(history), [history]);
  const isLive = phase === 'starting' || phase === 'streaming';
  return (
    <>
      {turn.text !== undefined && <UserText text={turn.text} />}
      <article className="answer" aria-label="Answer" aria-busy={isLive} data-phase={phase}>
        {answer.pieces.map((piece) => (
          <PieceView
            key={piece.key}
            piece={piece}
            run={isLive ? 'active' : phase === 'suspended' ? 'waiting' : 'ended'}
          />
        ))}
        {isLive && answer.pieces.length === 0 && <Working />}
        {!isConnected && isLive && <Reconnecting />}
        {phase === 'suspended' && <PendingCards turn={turn} chat={chat} />}
        {phase === 'ended' && <EndingView ending={answer.ending} status={end?.status} />}
        {error !== undefined && <ErrorNotice error={error} />}
        {runId !== undefined && phase === 'ended' && (
          <footer className="answer-foot">
            <Link to="/runs/$run" params={{ run: runId }}>
              Open the run
            </Link>
            {answer.pieces.length > 0 && <CopyButton text={readText(answer)} label="Copy the answer" />}
          </footer>
        )}
      </article>
    </>
  );
});

function PieceView({ piece, run }: { piece: Piece; run: RunPhase }) {
  switch (piece.kind) {
    case 'text':
      return <Markdown text={piece.text} />;
    case 'reasoning':
      return (
        <details className="reasoning">
          <summary>Reasoning</summary>
          <p>{piece.text}</p>
        </details>
      );
    case 'call':
      return (
        <CallCard
          tool={piece.tool}
          args={piece.args}
          state={piece.state}
          result={piece.result}
          reason={piece.reason}
          run={run}
        />
      );
    case 'withdrawn':
      return (
        <div className="notice" data-kind="withdrawn">
          <Undo2 size={16} aria-hidden />
          <div>
            <strong>A passage was withdrawn</strong>
            <span className="small">
              A later check rejected text that had been streamed. The accepted text follows.
            </span>
          </div>
        </div>
      );
    case 'source':
      return (
        <p className="small">
          Source:{' '}
          {piece.url === undefined ? (
            piece.title
          ) : (
            <a href={piece.url} target="_blank" rel="noreferrer noopener nofollow">
              {piece.title}
            </a>
          )}
        </p>
      );
  }
}

const Working = () => (
  <p className="working" role="status">
    <span className="dots" aria-hidden>
      <i />
      <i />
      <i />
    </span>
    <span className="sr-only">The run has started.</span>
  </p>
);

const Reconnecting = () => (
  <p className="small muted row" role="status">
    <CloudOff size={14} aria-hidden /> The connection is lost. The run continues, and the page joins it again.
  </p>
);

function EndingView({ ending, status }: { ending: Ending | undefined; status: string | undefined }) {
  if (ending?.kind === 'blocked')
    return (
      <div className="notice" data-tone="bad" data-kind="blocked">
        <OctagonX size={16} aria-hidden />
        <div>
          <strong>Blocked{ending.processor === undefined ? '' : ` by ${ending.processor}`}</strong>
          <span className="small">{ending.reason}</span>
        </div>
      </div>
    );
  if (ending?.kind === 'failed')
    return (
      <div className="notice" data-tone="bad" data-kind="failed">
        <OctagonX size={16} aria-hidden />
        <div>
          <strong>The run failed</strong>
          <span className="small">{ending.message}</span>
        </div>
      </div>
    );
  if (ending?.kind === 'cancelled' || status === 'released')
    return (
      <div className="notice" data-kind="cancelled">
        <CircleSlash size={16} aria-hidden />
        <div>
          <strong>{status === 'released' ? 'Released without an answer' : 'Cancelled'}</strong>
        </div>
      </div>
    );
  return null;
}
