// Everything that the routes share.
import type { Bus } from '@millrace/bus';
import type { Log } from '@millrace/service';
import type { VerifyIdentity } from './access/credentials.ts';
import type { Limits } from './access/limits.ts';
import type { Sessions } from './console/sessions.ts';
import type { ReadTraits } from './agents/agent-traits.ts';
import type { RecentRequests } from './recent/recent-requests.ts';
import type { GatewaySettings } from './settings.ts';

/** In discovery and in the answer of /healthz. */
export const VERSION = '0.1.0';

export type GatewayContext = {
  bus: Bus;
  log: Log;
  settings: GatewaySettings;
  limits: Limits;
  verify: VerifyIdentity;
  /** Calls the listener with the id of each key that is revoked. Returns the function that removes it. */
  onRevoked(listener: (keyId: string) => void): () => void;
  sessions: Sessions;
  readTraits: ReadTraits;
  recent: RecentRequests;
  /** Returns why the gateway cannot work, as the health check of the process does. Undefined: it can. */
  findProblem: () => string | undefined;
  /** Fires when the gateway drains: streams that can be rejoined end, the others finish. */
  draining: AbortSignal;
};
