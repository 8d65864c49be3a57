// Resolves a name: the id of a processor, the name of a tool, or a service with all of its processors or tools.
import { gatherInfo, type Bus } from '@millrace/bus';
import { isToken, readAdvertised, type AdvertisedServices } from '@millrace/contracts';
import { requireDiscovery } from './require-discovery.ts';
import type { CheckTarget, ToolTarget } from './target.ts';

type TargetPlace = Pick<CheckTarget, 'descriptor' | 'service' | 'infos' | 'replica'>;

/** The second duration is for busy services, before the name is reported as unknown. */
const GATHER_MS = [500, 2_500];

/** `refused`: problems of the rejected advertisements with that name, or of that service. */
export type FoundTargets = { processors: TargetPlace[]; tools: ToolTarget[]; refused: string[] };

/** @throws permission-denied */
export async function findNamed(bus: Bus, name: string): Promise<FoundTargets> {
  let found: FoundTargets = { processors: [], tools: [], refused: [] };
  for (const gatherMs of GATHER_MS) {
    const infos = await gatherInfo(bus, { gatherMs });
    requireDiscovery(bus);
    const advertised = readAdvertised(infos, bus.subjects);
    const refused = advertised.refused
      .filter((endpoint) => endpoint.name === name || endpoint.service === name)
      .map(({ problem }) => problem);
    found = {
      processors: findProcessors(name, advertised, infos),
      tools: findTools(bus, name, advertised, infos),
      refused: [...new Set(refused)],
    };
    if (found.processors.length > 0 || found.tools.length > 0) break;
  }
  return found;
}

function findProcessors(name: string, { processors }: AdvertisedServices, all: CheckTarget['infos']): TargetPlace[] {
  const named = [...processors.values()].filter(
    ({ descriptor, service }) => descriptor.id === name || service === name,
  );
  const byId = named.filter(({ descriptor }) => descriptor.id === name);
  return (byId.length > 0 ? byId : named).flatMap(({ descriptor, service, replicas }) => {
    const infos = all.filter((info) => info.name === service && replicas.includes(info.id));
    const [replica] = replicas;
    return replica === undefined ? [] : [{ descriptor, service, infos, replica }];
  });
}

function findTools(bus: Bus, name: string, { tools }: AdvertisedServices, all: CheckTarget['infos']): ToolTarget[] {
  const found = [...tools.values()];
  const named = found.filter(({ tool, service }) => tool.name === name || service === name);
  const byName = named.filter(({ tool }) => tool.name === name);
  return (byName.length > 0 ? byName : named).flatMap(({ tool, service }) => {
    // An invalid id was rejected with all of its endpoints: no subject can be derived from it.
    const infos = all.filter((info) => info.name === service && isToken(info.id));
    const [first] = infos;
    return first ? [{ bus, tool, service, infos, replica: first.id }] : [];
  });
}
