// Finds messages by meaning. A gateway without the route has no such search: the panel is left out.
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { isMissingRoute } from '../api/request.ts';
import { searchThreads } from '../api/search-threads.ts';
import { sessionQuery } from '../api/session.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/feedback.tsx';

export function SearchPanel({ resource }: { resource: string | undefined }) {
  const [text, setText] = useState('');
  const search = useMutation({ mutationFn: () => searchThreads(text.trim(), resource) });
  const { data: session } = useQuery(sessionQuery);
  // An operator has no messages of its own.
  const hasOwner = resource !== undefined || session?.subject !== undefined;
  if (isMissingRoute(search.error)) return <p className="muted small">This gateway has no search by meaning.</p>;
  return (
    <form
      className="field search"
      onSubmit={(event) => {
        event.preventDefault();
        search.mutate();
      }}
    >
      <label htmlFor="search">Search by meaning</label>
      <div className="search-row">
        <input
          id="search"
          className="input"
          type="search"
          placeholder={hasOwner ? 'Where did I park my car?' : 'Name a resource first'}
          disabled={!hasOwner}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Button type="submit" disabled={text.trim() === '' || search.isPending}>
          <Search size={14} aria-hidden /> Search
        </Button>
      </div>
      {search.error && <ErrorNotice error={search.error} />}
      {search.data && (
        <ul className="hits" aria-label="Found messages">
          {search.data.length === 0 && <li className="muted">No stored message is close to this text.</li>}
          {search.data.map(({ threadId, messageId, text: found, score }) => (
            <li key={`${threadId} ${messageId}`}>
              <Link to="/threads/$thread" params={{ thread: threadId }}>
                {found}
              </Link>
              <span className="muted small number"> {score.toFixed(2)}</span>
            </li>
          ))}
        </ul>
      )}
    </form>
  );
}
