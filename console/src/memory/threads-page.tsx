import './memory.css';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Thread } from '@millrace/contracts';
import { LibraryBig } from 'lucide-react';
import { readTitle, THREADS_PER_PAGE, buildThreadsQuery } from '../api/threads.ts';
import { isOperator, sessionQuery } from '../api/session.ts';
import { Empty, Loaded } from '../ui/feedback.tsx';
import { TextFilter } from '../ui/filters.tsx';
import { formatCount } from '../ui/format.ts';
import { Page } from '../ui/page.tsx';
import { None, Table, type Column } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';
import { ResourcePanel } from './resource-panel.tsx';
import { SearchPanel } from './search-panel.tsx';

/** Threads, the search by meaning, and the memory of a resource. */
export function ThreadsPage() {
  const { resource, offset = 0 } = useSearch({ from: '/threads' });
  const navigate = useNavigate({ from: '/threads' });
  const { data: session } = useQuery(sessionQuery);
  const query = useQuery(buildThreadsQuery(offset, resource));
  return (
    <Page title="Threads and memory" about="What the memories have stored. Blocked text is in none of them.">
      <div className="columns">
        <SearchPanel resource={resource} />
        <TextFilter
          label="Resource"
          type="search"
          placeholder="The owner of threads, such as a user"
          value={resource}
          onCommit={(text) => void navigate({ search: text === '' ? {} : { resource: text } })}
        />
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
              <Table columns={COLUMNS} rows={threads} getKey={({ id }) => id} />
              <Pager offset={offset} total={total} resource={resource} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

const COLUMNS: readonly Column<Thread>[] = [
  {
    title: 'Thread',
    className: 'name wide',
    show: (thread) => (
      <>
        <Link to="/threads/$thread" params={{ thread: thread.id }} className="strong">
          {readTitle(thread)}
        </Link>
        {readTitle(thread) !== thread.id && <div className="muted small cut">{thread.id}</div>}
      </>
    ),
  },
  {
    title: 'Resource',
    className: 'cut name',
    show: ({ id, resourceId }) => (resourceId === undefined || resourceId === id ? <None>none</None> : resourceId),
  },
  {
    title: 'Messages',
    isEnd: true,
    className: 'number optional',
    show: ({ messageCount }) => formatCount(messageCount),
  },
  {
    title: 'Last message',
    isEnd: true,
    className: 'muted number',
    show: ({ lastMessageAt, updatedAt }) => <Ago at={lastMessageAt ?? updatedAt} />,
  },
];

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
