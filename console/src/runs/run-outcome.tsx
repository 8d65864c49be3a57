import { OctagonX } from 'lucide-react';
import type { ShownRun } from '../api/runs.ts';
import { Markdown } from '../ui/markdown.tsx';
import { Link } from '@tanstack/react-router';
import { PauseCircle } from 'lucide-react';
import { readQuestion } from './pending-item.ts';
import '../styles/chat.css';

/** How a run ended, or the question for which it waits. */
export function RunOutcome({ run: { status, result, pending = [] } }: { run: ShownRun }) {
  const { tripwire, error, text } = result ?? {};
  return (
    <>
      {tripwire && (
        <div className="notice" data-tone="bad">
          <OctagonX size={16} aria-hidden />
          <div>
            <strong>Blocked{tripwire.processorId === undefined ? '' : ` by ${tripwire.processorId}`}</strong>
            <span className="small">{tripwire.reason}</span>
          </div>
        </div>
      )}
      {error && !tripwire && (
        <div className="notice" data-tone="bad">
          <OctagonX size={16} aria-hidden />
          <div>
            <strong>{error.message}</strong>
            <span className="small">{error.remedy ?? error.code}</span>
          </div>
        </div>
      )}
      {status === 'suspended' && (
        <div className="notice" data-tone="wait">
          <PauseCircle size={16} aria-hidden />
          <div>
            <strong>Waits for {pending.length === 1 ? 'an answer' : `${pending.length} answers`}</strong>
            {pending.map(({ id, by, payload }) => (
              <div key={id} className="small">
                {by}: {readQuestion(payload)}
              </div>
            ))}
            <Link to="/suspended" className="small">
              Decide
            </Link>
          </div>
        </div>
      )}
      {text !== undefined && text !== '' && (
        <section className="card">
          <header className="card-head">
            <h2>Answer</h2>
          </header>
          <div className="card-body long-text" tabIndex={0} role="region" aria-label="Answer">
            <Markdown text={text} />
          </div>
        </section>
      )}
    </>
  );
}
