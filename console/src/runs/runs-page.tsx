import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useRouterState, useSearch } from '@tanstack/react-router';
import { Workflow } from 'lucide-react';
import { buildRunsQuery, type RunPage } from '../api/runs.ts';
import { Button } from '../ui/button.tsx';
import { Empty, Loaded } from '../ui/feedback.tsx';
import { Page } from '../ui/page.tsx';
import { hasFilter, type RunSearch } from './run-search.ts';
import { RunFilters } from './run-filters.tsx';
import { RunTable } from './run-table.tsx';

/** The list of runs. Filters and page are in the address, so that a link shows the same list. */
export function RunsPage() {
  const search = useSearch({ from: '/runs' });
  const navigate = useNavigate({ from: '/runs' });
  const { thread, after, ...filter } = search;
  const query = useQuery({
    ...buildRunsQuery({ ...filter, threadId: thread }, after),
    placeholderData: keepPreviousData,
  });
  const change = (next: RunSearch) => void navigate({ search: next });
  return (
    <Page title="Runs" about="Every run of the agents that this key may see, the latest change first.">
      <RunFilters search={search} onChange={change} />
      <Loaded query={query}>
        {(page) =>
          page.runs.length === 0 ? (
            <NoRuns isFiltered={hasFilter(search)} onClear={() => change({})} />
          ) : (
            <>
              <RunTable runs={page.runs} />
              <Pager page={page} search={search} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

const NoRuns = ({ isFiltered, onClear }: { isFiltered: boolean; onClear(): void }) =>
  isFiltered ? (
    <Empty
      icon={Workflow}
      title="No run matches these filters"
      action={<Button onClick={onClear}>Clear the filters</Button>}
    />
  ) : (
    <Empty
      icon={Workflow}
      title="No runs yet"
      action={
        <Link to="/chat" className="button">
          Open the chat
        </Link>
      }
    >
      A run appears here as soon as an agent receives a message.
    </Empty>
  );

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Positions of the pages before this one, kept with the entry of the browser's history. */
    laterPages?: readonly number[];
  }
}

function Pager({ page, search }: { page: RunPage; search: RunSearch }) {
  const laterPages = useRouterState({ select: ({ location }) => location.state.laterPages ?? [] });
  const { after, ...first } = search;
  const previous = laterPages.at(-1);
  const next = after === undefined ? [] : [...laterPages, after].slice(-MAX_LATER_PAGES);
  return (
    <nav className="pager" aria-label="Pages of the list">
      <span className="row">
        {after !== undefined && (
          <Link to="/runs" search={first} className="button slim">
            Latest runs
          </Link>
        )}
        {previous !== undefined && (
          <Link
            to="/runs"
            search={{ ...first, after: previous }}
            state={{ laterPages: laterPages.slice(0, -1) }}
            className="button slim"
          >
            Later runs
          </Link>
        )}
      </span>
      {page.next !== undefined && (
        <Link to="/runs" search={{ ...first, after: page.next }} state={{ laterPages: next }} className="button slim">
          Earlier runs
        </Link>
      )}
    </nav>
  );
}

/** Bounds the state of an entry in the browser's history. */
const MAX_LATER_PAGES = 500;
