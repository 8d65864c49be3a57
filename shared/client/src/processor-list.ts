// Who is up: what all services advertise, as a line for each processor and for each description that is refused. Pure.
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
  /** The names that other frameworks use. */
  aliases: string[];
  stages: Stage[];
  /** What of a run it is sent. */
  reads: ReadsByStage;
  policy: ProcessorDescriptor['policy'];
  optionsSchema: ProcessorDescriptor['optionsSchema'];
};
export type ProcessorList = {
  /** In the order of their names. */
  processors: ProcessorInfo[];
  /** Advertised but refused: no agent can use them. */
  refused: RefusedEndpoint[];
};

export function processorsOf(infos: readonly SrvInfo[], subjects: Subjects): ProcessorList {
  const { processors, refused } = readAdvertised(infos, subjects);
  const lines = [...processors.values()].map(lineOf);
  return { processors: lines.toSorted((a, b) => (a.id < b.id ? -1 : 1)), refused };
}

function lineOf({ descriptor, service, replicas }: AdvertisedProcessor): ProcessorInfo {
  const { id, description, version, aliases, stages, reads, policy, optionsSchema } = descriptor;
  const own = { id, description, version, aliases, stages, reads, policy, optionsSchema };
  return { ...own, service, replicas: replicas.toSorted() };
}
