// Adjacent entries that one replica serves go into one call: three guards of one service cost one round trip.
import type { PlanEntry } from '@millrace/contracts';
import type { Discovery } from '../peers/discovery.ts';

export function mergeAdjacent(entries: readonly PlanEntry[], discovery: Pick<Discovery, 'together'>): PlanEntry[][] {
  const groups: PlanEntry[][] = [];
  for (const entry of entries) {
    const group = groups.at(-1);
    const joins = group?.every((member) => discovery.together(member.processor, entry.processor));
    if (group && joins) group.push(entry);
    else groups.push([entry]);
  }
  return groups;
}
