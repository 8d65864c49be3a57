import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useRouterState } from '@tanstack/react-router';
import { Bot } from 'lucide-react';
import { agentsQuery } from '../api/agents.ts';
import { Empty, Loaded } from '../ui/feedback.tsx';

/** Opens the chat with the agent that was used last, or with the first one. */
export function ChatHome() {
  const query = useQuery(agentsQuery);
  // The user may have opened another page, which still loads: the redirect would replace it.
  const isLeaving = useRouterState({ select: ({ location }) => location.pathname !== '/chat' });
  return (
    <Loaded query={query}>
      {(agents) => {
        const last = agents.find(({ name }) => name === readLastAgent()) ?? agents[0];
        if (last) return isLeaving ? null : <Navigate to="/chat/$agent" params={{ agent: last.name }} replace />;
        return (
          <Empty
            icon={Bot}
            title="There is no agent yet"
            action={
              <Link to="/agents" className="button">
                Open agents
              </Link>
            }
          >
            An agent has a model and a list of processors. Apply one, then chat with it here.
          </Empty>
        );
      }}
    </Loaded>
  );
}

const NAME = 'millrace-agent';
const readLastAgent = (): string | null => localStorage.getItem(NAME);
export const storeLastAgent = (agent: string): void => localStorage.setItem(NAME, agent);
