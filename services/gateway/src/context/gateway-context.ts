// Everything that the routes share.
import type { Log } from '@millrace/service';
import type { AccessContext } from '../access/access-context.ts';
import type { Sessions } from '../access/sessions.ts';
import type { ReadTraits } from '../agents/agent-traits.ts';
import type { RecentRequests } from '../recent/recent-requests.ts';

/** In discovery and in the answer of /healthz. */
export const VERSION = '0.1.0';

export type GatewayContext = AccessContext & {
  log: Log;
  sessions: Sessions;
  readTraits: ReadTraits;
  recent: RecentRequests;
  /** Returns why the gateway cannot work, as the health check of the process does. Undefined: it can. */
  findProblem: () => string | undefined;
};
