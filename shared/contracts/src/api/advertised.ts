// Reads the services' advertisements: the processors and tools of this Millrace, and rejected endpoints with their
// problems. Pure; the orchestrator resolves agents with it, the command line lists it. An advertisement is an untrusted
// claim: an endpoint counts only if its subject equals the subject that the caller derives.
import { isOurs, parseJson, readName, readEndpoint, toShownText } from './advertised-endpoint.ts';
import { METADATA_KEY, serviceLimitsSchema } from '../agent/discovery.ts';
import type { EndpointMetadata, ProcessorDescriptor, SrvInfo } from '../agent/discovery.ts';
import type { ToolDefinition } from '../message/model.ts';
import type { RefusedEndpoint } from '../agent/processor-info.ts';
import type { ServedProcessor, Subjects } from './subjects.ts';
import { isToken } from '../base/tokens.ts';

export const ADVERTISED_LIMITS = {
  /** Maximum per process. A processor has one endpoint for each stage. */
  maxEndpoints: 512,
  /** Maximum of all processes together, for one discovery request. */
  maxEndpointsOfAll: 20_000,
  /** Maximum of all processes together. */
  maxProcessors: 2_000,
  maxTools: 2_000,
} as const;

export type AdvertisedProcessor = { descriptor: ProcessorDescriptor; service: string; replicas: string[] };
export type AdvertisedTool = { tool: ToolDefinition; service: string };
export type AdvertisedServices = {
  /** By id. If several services claim an id, the first service by name owns it. */
  processors: Map<string, AdvertisedProcessor>;
  tools: Map<string, AdvertisedTool>;
  /** Replicas by service and processor (`buildServedKey`), also of services that do not own the id. */
  served: Map<string, string[]>;
  refused: RefusedEndpoint[];
};

type AdvertisedEndpoint = SrvInfo['endpoints'][number];
type EndpointClaim = { service: string; replica: string; metadata: EndpointMetadata };

export const buildServedKey = ({ service, processor }: ServedProcessor): string => `${service} ${processor}`;

export function readAdvertised(infos: readonly SrvInfo[], subjects: Subjects): AdvertisedServices {
  const refused: RefusedEndpoint[] = [];
  const claims = keepWithinLimit(infos, subjects, refused)
    .flatMap((info) => {
      refused.push(...readPartProblems(info));
      return readClaims(info, subjects, refused);
    })
    .toSorted(compareClaims);
  const processors = new Map<string, AdvertisedProcessor>();
  const seen: SeenDescriptions = new Map();
  const tools = new Map<string, AdvertisedTool>();
  const served = new Map<string, string[]>();
  for (const claim of claims) {
    const refusal =
      claim.metadata.kind === 'processor' ? addProcessor({ processors, served }, seen, claim) : addTool(tools, claim);
    if (refusal) refused.push({ service: claim.service, name: readName(claim.metadata), ...refusal });
  }
  return { processors, tools, served, refused: omitDuplicates(refused) };
}

/** Returns the parts that a service reports as broken: an agent that names one is refused with the reason. */
function readPartProblems({ name, metadata }: SrvInfo): RefusedEndpoint[] {
  const { problems = [] } = serviceLimitsSchema.safeParse(parseJson(metadata[METADATA_KEY] ?? '')).data ?? {};
  return problems.map((part) => ({
    service: toShownText(name),
    name: toShownText(part.name),
    problem: toShownText(part.problem),
  }));
}

/** Returns the replicas of the processor that this service has, with the one of the claim. */
function addReplica(
  served: AdvertisedServices['served'],
  { service, replica }: EndpointClaim,
  processor: string,
): string[] {
  const key = buildServedKey({ service, processor });
  const replicas = served.get(key) ?? [];
  if (!replicas.includes(replica)) replicas.push(replica);
  served.set(key, replicas);
  return replicas;
}

/**
 * Returns the services that fit the limit, those with the fewest endpoints first: a service with very many endpoints
 * must not exclude the others.
 */
function keepWithinLimit(infos: readonly SrvInfo[], subjects: Subjects, refused: RefusedEndpoint[]): SrvInfo[] {
  const byCount = infos
    .map((info) => ({ info, count: filterOwnEndpoints(info, subjects).length }))
    .toSorted((one, other) => one.count - other.count || compare(one.info.id, other.info.id));
  let all = 0;
  return byCount.flatMap(({ info, count }) => {
    all += count;
    if (all <= ADVERTISED_LIMITS.maxEndpointsOfAll) return [info];
    refused.push({
      service: toShownText(info.name),
      name: toShownText(info.name),
      problem: describeExcess('endpoints', ADVERTISED_LIMITS.maxEndpointsOfAll),
    });
    return [];
  });
}

function filterOwnEndpoints(info: SrvInfo, subjects: Subjects): AdvertisedEndpoint[] {
  return info.endpoints.filter((endpoint) => isOurs(endpoint, subjects));
}

/** Orders claims by name, so that the order of the answers does not change the list. */
function compareClaims(one: EndpointClaim, other: EndpointClaim): number {
  return compare(one.service, other.service) || compare(one.replica, other.replica);
}
const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

type Refusal = Pick<RefusedEndpoint, 'problem' | 'owner'>;
/** Refuses a name that another service serves. */
const refuseClaim = (owner: string, what: string): Refusal => ({
  problem: `the service "${owner}" serves a ${what}`,
  owner,
});

/** Known descriptions, by id and version of the processor. */
type SeenDescriptions = Map<string, string>;

function addProcessor(
  { processors, served }: Pick<AdvertisedServices, 'processors' | 'served'>,
  seen: SeenDescriptions,
  claim: EndpointClaim,
): Refusal | undefined {
  const { service, metadata } = claim;
  if (metadata.kind !== 'processor') return undefined;
  const { descriptor } = metadata;
  const known = processors.get(descriptor.id);
  if (!known) {
    if (processors.size >= ADVERTISED_LIMITS.maxProcessors)
      return { problem: describeExcess('processors', ADVERTISED_LIMITS.maxProcessors) };
    processors.set(descriptor.id, { descriptor, service, replicas: addReplica(served, claim, descriptor.id) });
    conflictsWithKnown(seen, descriptor);
    return undefined;
  }
  if (known.service !== service) {
    addReplica(served, claim, descriptor.id);
    return refuseClaim(known.service, 'processor of that id');
  }
  if (conflictsWithKnown(seen, descriptor)) {
    const version = toShownText(descriptor.version);
    return { problem: `its version ${version} has another description: give the changed processor a new version` };
  }
  addReplica(served, claim, descriptor.id);
  const added = { ...splitAdded(descriptor).added, ...splitAdded(known.descriptor).added };
  // During an upgrade the replicas of a service differ: the newest version describes the processor.
  const newest = isNewer(descriptor.version, known.descriptor.version) ? descriptor : known.descriptor;
  const addedTimeout = known.descriptor.policy.addedTimeout ?? descriptor.policy.addedTimeout;
  known.descriptor = { ...added, ...newest, policy: { ...(addedTimeout && { addedTimeout }), ...newest.policy } };
  return undefined;
}

/** Members that replicas of earlier releases do not advertise. Those of one replica count for all. */
function splitAdded({ positions, judgesText, addsText, memoryKey, policy, ...others }: ProcessorDescriptor) {
  const added = { positions, judgesText, addsText, memoryKey };
  const { addedTimeout: _, ...policyBefore } = policy;
  return {
    rest: { ...others, policy: policyBefore },
    added: Object.fromEntries(Object.entries(added).filter(([, value]) => value !== undefined)),
  };
}

/**
 * One version has one description; otherwise the resolution of an agent would be random. The first one that is read is
 * used.
 */
function conflictsWithKnown(seen: SeenDescriptions, descriptor: ProcessorDescriptor): boolean {
  const key = `${descriptor.id} ${descriptor.version}`;
  const text = JSON.stringify(splitAdded(descriptor).rest);
  const known = seen.get(key);
  if (known === undefined) seen.set(key, text);
  return known !== undefined && known !== text;
}

function addTool(tools: Map<string, AdvertisedTool>, { service, metadata }: EndpointClaim): Refusal | undefined {
  if (metadata.kind !== 'tool') return undefined;
  const { tool } = metadata;
  const known = tools.get(tool.name);
  if (known) return known.service === service ? undefined : refuseClaim(known.service, 'tool of that name');
  if (tools.size >= ADVERTISED_LIMITS.maxTools) return { problem: describeExcess('tools', ADVERTISED_LIMITS.maxTools) };
  tools.set(tool.name, { tool, service });
  return undefined;
}

const describeExcess = (what: string, limit: number): string => `more than ${limit} ${what} are advertised`;
const isNewer = (version: string, than: string): boolean => version.localeCompare(than, 'en', { numeric: true }) > 0;

function readClaims(info: SrvInfo, subjects: Subjects, refused: RefusedEndpoint[]): EndpointClaim[] {
  const ours = filterOwnEndpoints(info, subjects);
  if (ours.length === 0) return [];
  if (!isToken(info.name) || !isToken(info.id)) {
    refused.push({
      service: toShownText(info.name),
      name: toShownText(info.name),
      problem: 'its name or id is not a valid token',
    });
    return [];
  }
  if (ours.length > ADVERTISED_LIMITS.maxEndpoints) {
    const problem = `it advertises ${ours.length} endpoints, more than ${ADVERTISED_LIMITS.maxEndpoints}`;
    refused.push({ service: toShownText(info.name), name: toShownText(info.name), problem });
    return [];
  }
  return ours.flatMap((endpoint) => {
    const read = readEndpoint(info.name, endpoint, subjects);
    if ('metadata' in read) return [{ service: info.name, replica: info.id, metadata: read.metadata }];
    refused.push({ service: toShownText(info.name), name: read.name, problem: read.problem });
    return [];
  });
}

/** Removes duplicates, because a processor with a problem repeats it for each of its stages. */
function omitDuplicates(refused: readonly RefusedEndpoint[]): RefusedEndpoint[] {
  const byText = new Map(refused.map((one) => [`${one.service} ${one.name} ${one.problem}`, one]));
  return [...byText.values()];
}
