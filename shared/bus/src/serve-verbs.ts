// Several public verbs at once, as endpoints for discovery. A service that owns data hands its handlers here.
import { API, type ApiVerb } from '@millrace/contracts';
import { serveApi, type ApiHandler } from './api.ts';
import type { Bus } from './bus.ts';
import type { Endpoint } from './micro.ts';

export type ApiHandlers = { [V in ApiVerb]?: ApiHandler<V> };

export function serveVerbs(bus: Bus, handlers: ApiHandlers): Endpoint[] {
  return Object.keys(API)
    .filter(isVerb)
    .flatMap((verb) => serveVerb(bus, verb, handlers));
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- ties the handler that is looked up to its verb
function serveVerb<V extends ApiVerb>(bus: Bus, verb: V, handlers: ApiHandlers): Endpoint[] {
  const handle: ApiHandlers[V] = handlers[verb];
  if (!handle) return [];
  const name = `api-${verb}`;
  return [{ name, queue: name, serving: serveApi(bus, verb, handle), metadata: { kind: 'api' } }];
}

const isVerb = (name: string): name is ApiVerb => name in API;
