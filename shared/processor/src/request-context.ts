// What the caller sent along, with the run's own ids. get, set, has as in the seed; what a processor sets lives until its
// call ends (state is the place for what must stay).
import type { JsonObject, JsonValue, RunRef } from '@millrace/contracts';

export type RequestContext = {
  get(key: string): JsonValue | undefined;
  set(key: string, value: JsonValue): void;
  has(key: string): boolean;
  keys(): string[];
};

/** runId, threadId, resourceId and tenant are the run's and cannot be sent by the caller under these names. */
export function createRequestContext(sent: JsonObject, run: RunRef): RequestContext {
  const values = new Map<string, JsonValue>(Object.entries(sent));
  values.set('runId', run.runId).set('tenant', run.tenant).set('resourceId', run.resourceId);
  if (run.threadId === undefined) values.delete('threadId');
  else values.set('threadId', run.threadId);
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    has: (key) => values.has(key),
    keys: () => [...values.keys()],
  };
}
