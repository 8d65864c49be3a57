// Implements the verb `models`: the state of each provider, as the circuits of its models have it. docs/models.md
import { listCandidates, type ApiAnswer, type ModelHealth } from '@millrace/contracts';
import type { Models } from '@millrace/models';
import type { AgentStore } from '../agents/agent-store.ts';
import { readOpenUntil } from '../circuits/circuit.ts';
import type { Circuits } from '../circuits/circuits.ts';

/** Bounds the answer. */
const MAX_MODELS = 1_000;

export type ModelsParts = {
  agents: Pick<AgentStore, 'list'>;
  models: Pick<Models, 'identifyRoute' | 'listProviders'>;
  circuits: Pick<Circuits, 'read' | 'readCounts'>;
  now: () => number;
};

export function createModelsVerb({ agents, models, circuits, now }: ModelsParts) {
  const describeModel = (id: string, route: string): ModelHealth => {
    const circuit = circuits.read(route);
    const { succeeded, failed } = circuits.readCounts(route);
    if (circuit.state === 'closed') return { id, state: 'ok', succeeded, failed };
    const { cause, until, lease } = circuit;
    const isTried = lease !== undefined && lease.until > now();
    const end = readOpenUntil(circuit, now()) ?? until;
    return {
      id,
      state: isTried || end <= now() ? 'trying' : 'down',
      cause,
      until: new Date(end).toISOString(),
      succeeded,
      failed,
    };
  };
  return async (_request: object, { tenant }: { tenant: string }): Promise<ApiAnswer<'models'>> => {
    const used = new Set(agents.list(tenant).flatMap(({ agent }) => listCandidates(agent.model).map(({ use }) => use)));
    const ids = [...used].toSorted();
    const byProvider = new Map<string, ModelHealth[]>();
    const unknown: string[] = [];
    for (const id of ids.slice(0, MAX_MODELS)) {
      const route = findRoute(models, id);
      if (route === undefined) unknown.push(id);
      else {
        const [provider = ''] = id.split('/', 1);
        byProvider.set(provider, [...(byProvider.get(provider) ?? []), describeModel(id, route)]);
      }
    }
    return {
      providers: models
        .listProviders()
        .map((provider) => ({ ...provider, models: byProvider.get(provider.name) ?? [] })),
      unknown,
      omitted: Math.max(0, ids.length - MAX_MODELS),
    };
  };
}

function findRoute(models: ModelsParts['models'], id: string): string | undefined {
  try {
    return models.identifyRoute(id);
  } catch {
    return undefined;
  }
}
