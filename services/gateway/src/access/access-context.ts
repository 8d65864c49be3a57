// The parts of the gateway that decide about a request before a route handles it.
import type { Bus } from '@millrace/bus';
import type { VerifyIdentity } from './credentials.ts';
import type { Limits } from './limits.ts';
import type { GatewaySettings } from './settings.ts';

export type AccessContext = {
  bus: Bus;
  settings: GatewaySettings;
  limits: Limits;
  verify: VerifyIdentity;
  /** Calls the listener with the id of each key that is revoked. Returns the function that removes it. */
  onRevoked(listener: (keyId: string) => void): () => void;
  /** Fires when the gateway drains: streams that can be rejoined end, the others finish. */
  draining: AbortSignal;
};
