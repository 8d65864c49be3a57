import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ShownDeadLetter } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { MailCheck, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { buildDeadLettersQuery, retryDeadLetter } from '../api/operations.ts';
import { Button } from '../ui/button.tsx';
import { Empty, ErrorNotice, Loaded } from '../ui/feedback.tsx';
import { Page } from '../ui/page.tsx';
import { Badge } from '../ui/status.tsx';
import { Ago } from '../ui/time.tsx';
import '../styles/inbox.css';

/** Runs and saves that were given up, with the reason. */
export function DeadLettersPage() {
  const [pages, setPages] = useState<readonly number[]>([]);
  const after = pages.at(-1) ?? 0;
  const query = useQuery(buildDeadLettersQuery(after));
  return (
    <Page
      title="Dead letters"
      about="Runs that lost too many orchestrators or have an unreadable state, and saves to a store that did not recover."
    >
      <Loaded query={query}>
        {({ letters, next }) =>
          letters.length === 0 ? (
            <Empty icon={MailCheck} title="No dead letters">
              Every run has ended, and every memory was saved.
            </Empty>
          ) : (
            <>
              <ul className="inbox">
                {letters.map((letter) => (
                  <Letter key={`${letter.what} ${letter.runId}`} letter={letter} />
                ))}
              </ul>
              <nav className="pager" aria-label="Pages of the list">
                {pages.length > 0 ? (
                  <Button slim onClick={() => setPages(pages.slice(0, -1))}>
                    Previous
                  </Button>
                ) : (
                  <span />
                )}
                {next !== undefined && (
                  <Button slim onClick={() => setPages([...pages, next])}>
                    Next
                  </Button>
                )}
              </nav>
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function Letter({ letter: { what, runId, agent, at, error, retriedAs, entries } }: { letter: ShownDeadLetter }) {
  const client = useQueryClient();
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const retry = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await retryDeadLetter(runId);
      await client.invalidateQueries({ queryKey: ['dead-letters'] });
    } catch (thrown) {
      setFailure(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <li className="card">
      <header className="card-head">
        <Badge plain>{what === 'run' ? 'Run' : 'Save'}</Badge>
        <h2>{agent}</h2>
        <Link to="/runs/$run" params={{ run: runId }} className="mono cut">
          {runId}
        </Link>
        <span className="muted small push">
          <Ago at={at} />
        </span>
      </header>
      <div className="card-body stack">
        <div>
          <strong>{error.message}</strong>
          <div className="muted small">
            {error.code}
            {entries ? ` · not saved: ${entries.join(', ')}` : ''}
          </div>
        </div>
        {failure !== undefined && <ErrorNotice error={failure} />}
        <div>
          {retriedAs === undefined ? (
            <Button slim disabled={isBusy} onClick={() => void retry()}>
              <RotateCw size={14} aria-hidden /> {what === 'run' ? 'Run again' : 'Save again'}
            </Button>
          ) : (
            <Link to="/runs/$run" params={{ run: retriedAs }}>
              Repeated as {retriedAs}
            </Link>
          )}
        </div>
      </div>
    </li>
  );
}
