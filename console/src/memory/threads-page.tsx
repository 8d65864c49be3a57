import './memory.css';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Thread } from '@millrace/contracts';
import { LibraryBig } from 'lucide-react';
import { useState } from 'react';
import { readTitle, THREADS_PER_PAGE, buildThreadsQuery } from '../api/threads.ts';
import { isOperator, sessionQuery } from '../api/session.ts';
import { Empty, Loaded } from '../ui/feedback.tsx';
import { formatCount } from '../ui/format.ts';
import { Page } from '../ui/page.tsx';
import { Ago } from '../ui/time.tsx';
import { ResourcePanel } from './resource-panel.tsx';
import { SearchPanel } from './search-panel.tsx';

/** Threads, the search by meaning, and the memory of a resource. */
export function ThreadsPage() {
  const { resource, offset = 0 } = useSearch({ from: '/threads' });
  const { data: session } = useQuery(sessionQuery);
  const query = useQuery(buildThreadsQuery(offset, resource));
  return (
    <Page title="Threads and memory" about="What the memories have stored. Blocked text is in none of them.">
      <div className="columns">
        <SearchPanel resource={resource} />
        <ResourceFilter resource={resource} />
      </div>
      {resource !== undefined && <ResourcePanel resource={resource} canErase={isOperator(session)} />}
      <Loaded query={query}>
        {({ threads, total }) =>
          threads.length === 0 ? (
            <Empty icon={LibraryBig} title={resource === undefined ? 'No threads yet' : `No threads of ${resource}`}>
              A thread is stored when a run of an agent with a history finishes.
            </Empty>
          ) : (
            <>
              <ThreadTable threads={threads} />
              <Pager offset={offset} total={total} resource={resource} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function ResourceFilter({ resource = '' }: { resource: string | undefined }) {
  const navigate = useNavigate({ from: '/threads' });
  const [text, setText] = useState(resource);
  return (
    <form
      className="field"
      onSubmit={(event) => {
        event.preventDefault();
        void navigate({ search: text.trim() === '' ? {} : { resource: text.trim() } });
      }}
    >
      <label htmlFor="resource">Resource</label>
      <input
        id="resource"
        className="input"
        type="search"
        placeholder="The owner of threads, such as a user"
        value={text}
        maxLength={200}
        onChange={({ target }) => setText(target.value)}
      />
    </form>
  );
}

const ThreadTable = ({ threads }: { threads: readonly Thread[] }) => (
  <div className="table-wrap">
    <table className="table fold">
      <thead>
        <tr>
          <th scope="col">Thread</th>
          <th scope="col">Resource</th>
          <th scope="col" className="end">
            Messages
          </th>
          <th scope="col" className="end">
            Last message
          </th>
        </tr>
      </thead>
      <tbody>
        {threads.map((thread) => {
          const { id, resourceId, messageCount, lastMessageAt, updatedAt } = thread;
          const title = readTitle(thread);
          return (
            <tr key={id}>
              <td className="name wide">
                <Link to="/threads/$thread" params={{ thread: id }} className="strong">
                  {title}
                </Link>
                {title !== id && <div className="muted small cut">{id}</div>}
              </td>
              <td className="cut name">
                {resourceId === undefined || resourceId === id ? <span className="muted">none</span> : resourceId}
              </td>
              <td className="end number optional">{formatCount(messageCount)}</td>
              <td className="end muted number">
                <Ago at={lastMessageAt ?? updatedAt} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  </div>
);

function Pager({ offset, total, resource }: { offset: number; total: number; resource: string | undefined }) {
  const own = resource === undefined ? {} : { resource };
  const last = Math.min(offset + THREADS_PER_PAGE, total);
  return (
    <nav className="pager" aria-label="Pages of the list">
      <span className="number">
        {formatCount(offset + 1)} to {formatCount(last)} of {formatCount(total)}
      </span>
      <span className="row">
        {offset > 0 && (
          <Link
            to="/threads"
            search={{ ...own, offset: Math.max(0, offset - THREADS_PER_PAGE) }}
            className="button slim"
          >
            Newer
          </Link>
        )}
        {last < total && (
          <Link to="/threads" search={{ ...own, offset: last }} className="button slim">
            Older
          </Link>
        )}
      </span>
    </nav>
  );
}
