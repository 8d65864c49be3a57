// The pages by their path. Each page is a chunk of its own, which is loaded when it is opened.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { ErrorNotice } from '../ui/feedback.tsx';
import { readThreadSearch } from '../memory/thread-search.ts';
import { readRunSearch } from '../runs/run-search.ts';
import { NotFound } from './not-found.tsx';
import { Shell } from './shell.tsx';

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound });
const under = <const P extends string>(path: P) => ({ getParentRoute: () => rootRoute, path });

const homeRoute = createRoute({
  ...under('/'),
  beforeLoad: () => {
    throw redirect({ to: '/chat' });
  },
});
const chatHomeRoute = createRoute({
  ...under('/chat'),
  component: lazyRouteComponent(() => import('../chat/chat-home.tsx'), 'ChatHome'),
});
const newChatRoute = createRoute({
  ...under('/chat/$agent'),
  component: lazyRouteComponent(() => import('../chat/new-chat.tsx'), 'NewChat'),
});
const chatRoute = createRoute({
  ...under('/chat/$agent/$thread'),
  component: lazyRouteComponent(() => import('../chat/chat-page.tsx'), 'ChatPage'),
});
const runsRoute = createRoute({
  ...under('/runs'),
  validateSearch: readRunSearch,
  component: lazyRouteComponent(() => import('../runs/runs-page.tsx'), 'RunsPage'),
});
const runRoute = createRoute({
  ...under('/runs/$run'),
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: string } =>
    tab === 'chunks' || tab === 'changes' ? { tab } : {},
  component: lazyRouteComponent(() => import('../runs/run-page.tsx'), 'RunPage'),
});

const inboxRoute = createRoute({
  ...under('/suspended'),
  component: lazyRouteComponent(() => import('../inbox/inbox-page.tsx'), 'InboxPage'),
});
const deadLettersRoute = createRoute({
  ...under('/dead-letters'),
  component: lazyRouteComponent(() => import('../dead-letters/dead-letters-page.tsx'), 'DeadLettersPage'),
});
const processorsRoute = createRoute({
  ...under('/processors'),
  component: lazyRouteComponent(() => import('../processors/processors-page.tsx'), 'ProcessorsPage'),
});
const processorRoute = createRoute({
  ...under('/processors/$processor'),
  component: lazyRouteComponent(() => import('../processors/processor-page.tsx'), 'ProcessorPage'),
});
const agentsRoute = createRoute({
  ...under('/agents'),
  component: lazyRouteComponent(() => import('../agents/agents-page.tsx'), 'AgentsPage'),
});
const agentRoute = createRoute({
  ...under('/agents/$agent'),
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: string } => (tab === 'definition' ? { tab } : {}),
  component: lazyRouteComponent(() => import('../agents/agent-page.tsx'), 'AgentPage'),
});
const threadsRoute = createRoute({
  ...under('/threads'),
  validateSearch: readThreadSearch,
  component: lazyRouteComponent(() => import('../memory/threads-page.tsx'), 'ThreadsPage'),
});
const threadRoute = createRoute({
  ...under('/threads/$thread'),
  component: lazyRouteComponent(() => import('../memory/thread-page.tsx'), 'ThreadPage'),
});
const keysRoute = createRoute({
  ...under('/keys'),
  component: lazyRouteComponent(() => import('../keys/keys-page.tsx'), 'KeysPage'),
});

const routeTree = rootRoute.addChildren([
  homeRoute,
  chatHomeRoute,
  newChatRoute,
  chatRoute,
  runsRoute,
  runRoute,
  inboxRoute,
  deadLettersRoute,
  processorsRoute,
  processorRoute,
  agentsRoute,
  agentRoute,
  threadsRoute,
  threadRoute,
  keysRoute,
]);

export const router = createRouter({
  routeTree,
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: ({ error }) => (
    <div className="page">
      <ErrorNotice error={error} retry={() => location.reload()} />
    </div>
  ),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
