// The pages by their path. Each page is a chunk of its own, which is loaded when it is opened.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { ErrorNotice } from '../ui/feedback.tsx';
import { readThreadSearch } from '../memory/thread-search.ts';
import { readRunSearch } from '../runs/run-search.ts';
import { NotFound } from './not-found.tsx';
import { Shell } from './shell.tsx';

const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound });
const placeUnderRoot = <const P extends string>(path: P) => ({ getParentRoute: () => rootRoute, path });

const homeRoute = createRoute({
  ...placeUnderRoot('/'),
  beforeLoad: () => {
    throw redirect({ to: '/chat' });
  },
});
const chatHomeRoute = createRoute({
  ...placeUnderRoot('/chat'),
  component: lazyRouteComponent(() => import('../chat/chat-home.tsx'), 'ChatHome'),
});
const newChatRoute = createRoute({
  ...placeUnderRoot('/chat/$agent'),
  component: lazyRouteComponent(() => import('../chat/new-chat.tsx'), 'NewChat'),
});
const chatRoute = createRoute({
  ...placeUnderRoot('/chat/$agent/$thread'),
  component: lazyRouteComponent(() => import('../chat/chat-page.tsx'), 'ChatPage'),
});
const runsRoute = createRoute({
  ...placeUnderRoot('/runs'),
  validateSearch: readRunSearch,
  component: lazyRouteComponent(() => import('../runs/runs-page.tsx'), 'RunsPage'),
});
const runRoute = createRoute({
  ...placeUnderRoot('/runs/$run'),
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: string } =>
    tab === 'chunks' || tab === 'changes' ? { tab } : {},
  component: lazyRouteComponent(() => import('../runs/run-page.tsx'), 'RunPage'),
});

const inboxRoute = createRoute({
  ...placeUnderRoot('/suspended'),
  component: lazyRouteComponent(() => import('../inbox/inbox-page.tsx'), 'InboxPage'),
});
const deadLettersRoute = createRoute({
  ...placeUnderRoot('/dead-letters'),
  component: lazyRouteComponent(() => import('../dead-letters/dead-letters-page.tsx'), 'DeadLettersPage'),
});
const modelsRoute = createRoute({
  ...placeUnderRoot('/models'),
  component: lazyRouteComponent(() => import('../models/models-page.tsx'), 'ModelsPage'),
});
const processorsRoute = createRoute({
  ...placeUnderRoot('/processors'),
  component: lazyRouteComponent(() => import('../processors/processors-page.tsx'), 'ProcessorsPage'),
});
const processorRoute = createRoute({
  ...placeUnderRoot('/processors/$processor'),
  component: lazyRouteComponent(() => import('../processors/processor-page.tsx'), 'ProcessorPage'),
});
const agentsRoute = createRoute({
  ...placeUnderRoot('/agents'),
  component: lazyRouteComponent(() => import('../agents/agents-page.tsx'), 'AgentsPage'),
});
const agentRoute = createRoute({
  ...placeUnderRoot('/agents/$agent'),
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: string } => (tab === 'definition' ? { tab } : {}),
  component: lazyRouteComponent(() => import('../agents/agent-page.tsx'), 'AgentPage'),
});
const threadsRoute = createRoute({
  ...placeUnderRoot('/threads'),
  validateSearch: readThreadSearch,
  component: lazyRouteComponent(() => import('../memory/threads-page.tsx'), 'ThreadsPage'),
});
const threadRoute = createRoute({
  ...placeUnderRoot('/threads/$thread'),
  component: lazyRouteComponent(() => import('../memory/thread-page.tsx'), 'ThreadPage'),
});
const keysRoute = createRoute({
  ...placeUnderRoot('/keys'),
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
  modelsRoute,
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
