// Who is up: the answers of all services' discovery, folded into one line for each processor. Pure.
import {
  METADATA_KEY,
  endpointMetadataSchema,
  type ProcessorDescriptor,
  type SrvInfo,
  type Stage,
} from '@millrace/contracts';

export type ProcessorInfo = {
  id: string;
  description: string;
  version: string;
  service: string;
  /** Ids of the processes that serve it. */
  replicas: string[];
  stages: Stage[];
  policy: ProcessorDescriptor['policy'];
  optionsSchema: ProcessorDescriptor['optionsSchema'];
};

/** In the order of their names. A processor that several services serve is a line for each. */
export function processorsOf(infos: readonly SrvInfo[]): ProcessorInfo[] {
  const found = new Map<string, ProcessorInfo>();
  for (const { name: service, id: replica, endpoints } of infos) {
    for (const descriptor of endpoints.flatMap(descriptorOf)) {
      const key = `${descriptor.id} ${service}`;
      const info = found.get(key) ?? lineOf(descriptor, service);
      if (!info.replicas.includes(replica)) info.replicas.push(replica);
      found.set(key, info);
    }
  }
  for (const info of found.values()) info.replicas.sort();
  return [...found.values()].toSorted((a, b) => compare(a.id, b.id) || compare(a.service, b.service));
}

function lineOf(descriptor: ProcessorDescriptor, service: string): ProcessorInfo {
  const { id, description, version, stages, policy, optionsSchema } = descriptor;
  return { id, description, version, service, replicas: [], stages, policy, optionsSchema };
}

/** Endpoints of other kinds and of services that are not Millrace's are no processors. */
function descriptorOf({ metadata }: SrvInfo['endpoints'][number]): ProcessorDescriptor[] {
  const parsed = endpointMetadataSchema.safeParse(parseJson(metadata?.[METADATA_KEY]));
  return parsed.success && parsed.data.kind === 'processor' ? [parsed.data.descriptor] : [];
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
