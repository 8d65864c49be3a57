// Lists the running services' advertisements: an item for each processor and for each rejected description. Pure.
import {
  readAdvertised,
  type AdvertisedProcessor,
  type ProcessorDescriptor,
  type ReadsByStage,
  type RefusedEndpoint,
  type SrvInfo,
  type Stage,
  type Subjects,
} from '@millrace/contracts';

export type ProcessorInfo = {
  id: string;
  description: string;
  version: string;
  service: string;
  /** Ids of the processes that serve it. */
  replicas: string[];
  /** Names in other frameworks. */
  aliases: string[];
  stages: Stage[];
  /** Data of a run that is sent to it. */
  reads: ReadsByStage;
  policy: ProcessorDescriptor['policy'];
  optionsSchema: ProcessorDescriptor['optionsSchema'];
};
export type ProcessorList = {
  /** Sorted by name. */
  processors: ProcessorInfo[];
  /** Rejected advertisements: no agent can use them. */
  refused: RefusedEndpoint[];
};

export function listProcessors(infos: readonly SrvInfo[], subjects: Subjects): ProcessorList {
  const { processors, refused } = readAdvertised(infos, subjects);
  const lines = [...processors.values()].map(toProcessorInfo);
  return { processors: lines.toSorted((a, b) => (a.id < b.id ? -1 : 1)), refused };
}

function toProcessorInfo({ descriptor, service, replicas }: AdvertisedProcessor): ProcessorInfo {
  const { id, description, version, aliases, stages, reads, policy, optionsSchema } = descriptor;
  const own = { id, description, version, aliases, stages, reads, policy, optionsSchema };
  return { ...own, service, replicas: replicas.toSorted() };
}
