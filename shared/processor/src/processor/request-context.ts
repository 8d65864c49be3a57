// Contains the caller's context and the run's own ids. get, set and has as in the reference interface; a value that a
// processor sets lives until its call ends (use state for lasting values).
import type { JsonObject, JsonValue, RunRef } from '@millrace/contracts';

export type RequestContext = {
  get(key: string): JsonValue | undefined;
  set(key: string, value: JsonValue): void;
  has(key: string): boolean;
  keys(): string[];
};

/** runId, threadId, resourceId and tenant are set by the run; values of the caller under these names are ignored. */
export function createRequestContext(sent: JsonObject, run: RunRef): RequestContext {
  const values = new Map<string, JsonValue>(Object.entries(sent));
  values.set('runId', run.runId).set('tenant', run.tenant);
  for (const name of ['threadId', 'resourceId'] as const) {
    const id = run[name];
    if (id === undefined) values.delete(name);
    else values.set(name, id);
  }
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    has: (key) => values.has(key),
    keys: () => [...values.keys()],
  };
}
