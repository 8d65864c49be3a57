// One run: its facts, its wait, and tabs with the waterfall, the answer and the changes.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Tabs } from 'radix-ui';
import { buildEventsQuery, inspectQuery, isActive, runQuery, type ShownRun } from '../api/runs.ts';
import { cancelRun } from '../api/operations.ts';
import { isOperator, sessionQuery } from '../api/session.ts';
import { Confirm } from '../ui/confirm.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { ErrorNotice, Loaded } from '../ui/feedback.tsx';
import { Page } from '../ui/page.tsx';
import { StatusBadge } from '../ui/status.tsx';
import { ChangesView } from './changes-view.tsx';
import { ChunkList } from './chunk-list.tsx';
import { RunFacts } from './run-facts.tsx';
import { RunOutcome } from './run-outcome.tsx';
import { Waterfall } from './waterfall.tsx';

export function RunPage() {
  const { run } = useParams({ from: '/runs/$run' });
  const query = useQuery(runQuery(run));
  return (
    <Page
      crumb={<Link to="/runs">Runs</Link>}
      title={
        <span className="row">
          <span className="mono run-id">{run}</span>
          <CopyButton text={run} label="Copy the id of the run" />
          {query.data && <StatusBadge status={query.data.status} />}
        </span>
      }
      actions={query.data && <RunActions run={query.data} />}
    >
      <Loaded query={query}>{(found) => <RunDetail run={found} />}</Loaded>
    </Page>
  );
}

function RunActions({ run: { runId, status, summary } }: { run: ShownRun }) {
  return (
    <>
      {summary?.threadId !== undefined && (
        <Link to="/chat/$agent/$thread" params={{ agent: summary.agent, thread: summary.threadId }} className="button">
          Open the chat
        </Link>
      )}
      {isActive(status) && (
        <Confirm
          title="Cancel this run?"
          about="Its calls end, and its text so far remains in the result."
          action="Cancel the run"
          run={() => cancelRun(runId)}
        >
          Cancel
        </Confirm>
      )}
    </>
  );
}

function RunDetail({ run }: { run: ShownRun }) {
  const { runId, status } = run;
  const isLive = isActive(status);
  const { tab = 'waterfall' } = useSearch({ from: '/runs/$run' });
  const navigate = useNavigate({ from: '/runs/$run' });
  const { data: session } = useQuery(sessionQuery);
  const isDetailed = isOperator(session);
  const events = useQuery(buildEventsQuery(runId, isDetailed, isLive));
  const inspection = useQuery(inspectQuery(runId, isLive && isDetailed));
  return (
    <>
      <RunOutcome run={run} />
      <RunFacts run={run} inspection={inspection.data ?? undefined} events={events.data ?? []} />
      <Tabs.Root
        value={tab === 'changes' && !isDetailed ? 'waterfall' : tab}
        onValueChange={(next) => void navigate({ search: next === 'waterfall' ? {} : { tab: next }, replace: true })}
        className="stack"
      >
        <Tabs.List className="tabs" aria-label="Parts of the run">
          <Tabs.Trigger value="waterfall" className="tab">
            Waterfall
          </Tabs.Trigger>
          <Tabs.Trigger value="chunks" className="tab">
            Chunks
          </Tabs.Trigger>
          {isDetailed && (
            <Tabs.Trigger value="changes" className="tab">
              Changes
            </Tabs.Trigger>
          )}
        </Tabs.List>
        <Tabs.Content value="waterfall">
          {events.error ? (
            <ErrorNotice error={events.error} retry={() => void events.refetch()} />
          ) : (
            <Waterfall
              events={events.data}
              submittedAt={run.summary?.submittedAt}
              report={inspection.data?.report}
              isLive={isLive}
            />
          )}
        </Tabs.Content>
        <Tabs.Content value="chunks">
          <ChunkList runId={runId} />
        </Tabs.Content>
        {isDetailed && (
          <Tabs.Content value="changes">
            <ChangesView runId={runId} />
          </Tabs.Content>
        )}
      </Tabs.Root>
    </>
  );
}
