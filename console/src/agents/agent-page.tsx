import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Tabs } from 'radix-ui';
import { lazy, Suspense } from 'react';
import { buildAgentQuery, agentsQuery, deleteAgent } from '../api/agents.ts';
import { isAdmin, sessionQuery } from '../api/session.ts';
import { Confirm } from '../ui/confirm.tsx';
import { ErrorNotice, Loading } from '../ui/feedback.tsx';
import { Page } from '../ui/page.tsx';
import { Badge } from '../ui/status.tsx';
import { Ago } from '../ui/time.tsx';
import { PlanView } from './plan-view.tsx';

/** The editor is larger than the rest of the page: it is loaded when its tab is opened. */
const DefinitionEditor = lazy(() =>
  import('./definition-editor.tsx').then((module) => ({ default: module.DefinitionEditor })),
);

export function AgentPage() {
  const { agent } = useParams({ from: '/agents/$agent' });
  const { tab = 'plan' } = useSearch({ from: '/agents/$agent' });
  const navigate = useNavigate({ from: '/agents/$agent' });
  const { data: session } = useQuery(sessionQuery);
  const list = useQuery(agentsQuery);
  const isNew = list.data?.every(({ name }) => name !== agent) ?? false;
  const query = useQuery({ ...buildAgentQuery(agent), enabled: list.data !== undefined && !isNew });
  const applied = isNew ? undefined : query.data;
  const error = list.error ?? query.error;
  return (
    <Page
      crumb={<Link to="/agents">Agents</Link>}
      title={
        <span className="row">
          {agent} {isNew && <Badge plain>not applied</Badge>}
        </span>
      }
      about={
        applied && (
          <>
            {applied.agent.description} Revision {applied.revision}, applied <Ago at={applied.appliedAt} />.
          </>
        )
      }
      actions={applied && <AgentActions agent={agent} canDelete={isAdmin(session)} />}
    >
      {error ? (
        <ErrorNotice error={error} retry={() => void (list.error ? list : query).refetch()} />
      ) : !applied && !isNew ? (
        <Loading />
      ) : (
        <Tabs.Root
          value={isNew ? 'definition' : tab}
          onValueChange={(next) => void navigate({ search: next === 'plan' ? {} : { tab: next }, replace: true })}
          className="stack"
        >
          <Tabs.List className="tabs" aria-label="Parts of the agent">
            {applied && (
              <Tabs.Trigger value="plan" className="tab">
                Plan
              </Tabs.Trigger>
            )}
            <Tabs.Trigger value="definition" className="tab">
              Definition
            </Tabs.Trigger>
          </Tabs.List>
          {applied && (
            <Tabs.Content value="plan">
              <PlanView applied={applied} />
            </Tabs.Content>
          )}
          <Tabs.Content value="definition">
            <Suspense fallback={<Loading />}>
              <DefinitionEditor
                key={applied?.revision ?? 0}
                name={agent}
                applied={applied}
                canApply={isAdmin(session)}
              />
            </Suspense>
          </Tabs.Content>
        </Tabs.Root>
      )}
    </Page>
  );
}

function AgentActions({ agent, canDelete }: { agent: string; canDelete: boolean }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = async () => {
    await deleteAgent(agent);
    await navigate({ to: '/agents' });
    await client.invalidateQueries({ queryKey: ['agents'] });
  };
  return (
    <>
      <Link to="/runs" search={{ agent }} className="button">
        Runs
      </Link>
      <Link to="/chat/$agent" params={{ agent }} className="button">
        Chat
      </Link>
      {canDelete && (
        <Confirm
          title={`Delete ${agent}?`}
          about="Its active runs continue to their end. New runs are refused."
          action="Delete the agent"
          run={remove}
        >
          Delete
        </Confirm>
      )}
    </>
  );
}
