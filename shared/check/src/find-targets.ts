// Which processors a name means: one by its id, or all of a service.
import { gatherInfo, type Bus } from '@millrace/bus';
import { isToken, readAdvertised } from '@millrace/contracts';
import type { Target, ToolTarget } from './target.ts';

export type Place = Pick<Target, 'descriptor' | 'service' | 'infos' | 'replica'>;

const GATHER_MS = 500;

export async function findTargets(bus: Bus, name: string): Promise<Place[]> {
  const all = await gatherInfo(bus, { gatherMs: GATHER_MS });
  const { processors } = readAdvertised(all, bus.subjects);
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

/** The tool of that name, or all of a service. */
export async function findTools(bus: Bus, name: string): Promise<ToolTarget[]> {
  const all = await gatherInfo(bus, { gatherMs: GATHER_MS });
  const found = [...readAdvertised(all, bus.subjects).tools.values()];
  const named = found.filter(({ tool, service }) => tool.name === name || service === name);
  const byName = named.filter(({ tool }) => tool.name === name);
  return (byName.length > 0 ? byName : named).flatMap(({ tool, service }) => {
    // An id that is no token was refused with all that it advertises: nothing is to be asked of it.
    const infos = all.filter((info) => info.name === service && isToken(info.id));
    const [first] = infos;
    return first ? [{ bus, tool, service, infos, replica: first.id }] : [];
  });
}
