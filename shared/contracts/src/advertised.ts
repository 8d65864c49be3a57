// What services say of themselves, read: the processors and tools of this Millrace, and what is refused, with what is wrong with it.
// Pure; the orchestrator resolves agents by it, the command line lists it.
//
// What a service says is a claim of somebody else's: only an endpoint whose subject is the one that we would call counts, so that
// another prefix on the same server is another Millrace; and what one service says is bounded.
import { isOurs, nameOf, readEndpoint, shown } from './advertised-endpoint.ts';
import type { EndpointMetadata, ProcessorDescriptor, SrvInfo } from './discovery.ts';
import type { ToolDefinition } from './model.ts';
import type { Subjects } from './subjects.ts';
import { isToken } from './tokens.ts';

export const ADVERTISED_LIMITS = {
  /** Of one process. A processor has one for each stage. */
  maxEndpoints: 512,
  /** Of all processes together: what is read of one question. */
  maxEndpointsOfAll: 20_000,
  /** Of all processes together. */
  maxProcessors: 2_000,
  maxTools: 2_000,
} as const;

export type AdvertisedProcessor = { descriptor: ProcessorDescriptor; service: string; replicas: string[] };
export type AdvertisedTool = { tool: ToolDefinition; service: string };
/** `name`: what it calls itself, for people. */
export type RefusedEndpoint = { service: string; name: string; problem: string };
export type Advertised = {
  /** By id. Where several services claim one, the first by name has it. */
  processors: Map<string, AdvertisedProcessor>;
  tools: Map<string, AdvertisedTool>;
  refused: RefusedEndpoint[];
};

type Endpoint = SrvInfo['endpoints'][number];
type Claim = { service: string; replica: string; metadata: EndpointMetadata };

export function readAdvertised(infos: readonly SrvInfo[], subjects: Subjects): Advertised {
  const refused: RefusedEndpoint[] = [];
  const claims = withinLimit(infos, subjects, refused)
    .flatMap((info) => claimsOf(info, subjects, refused))
    .toSorted(byService);
  const processors = new Map<string, AdvertisedProcessor>();
  const said: Said = new Map();
  const tools = new Map<string, AdvertisedTool>();
  for (const claim of claims) {
    const problem = claim.metadata.kind === 'processor' ? addProcessor(processors, said, claim) : addTool(tools, claim);
    if (problem) refused.push({ service: claim.service, name: nameOf(claim.metadata), problem });
  }
  return { processors, tools, refused: distinct(refused) };
}

/** Those whose endpoints fit, by name: one that has very many must not cost the others their reading. */
function withinLimit(infos: readonly SrvInfo[], subjects: Subjects, refused: RefusedEndpoint[]): SrvInfo[] {
  const byCount = infos
    .map((info) => ({ info, count: oursOf(info, subjects).length }))
    .toSorted((one, other) => one.count - other.count || compare(one.info.id, other.info.id));
  let all = 0;
  return byCount.flatMap(({ info, count }) => {
    all += count;
    if (all <= ADVERTISED_LIMITS.maxEndpointsOfAll) return [info];
    refused.push({
      service: shown(info.name),
      name: shown(info.name),
      problem: tooMany('endpoints', ADVERTISED_LIMITS.maxEndpointsOfAll),
    });
    return [];
  });
}

function oursOf(info: SrvInfo, subjects: Subjects): Endpoint[] {
  return info.endpoints.filter((endpoint) => isOurs(endpoint, subjects));
}

/** Whoever answered first has nothing of it: the same services give the same list. */
function byService(one: Claim, other: Claim): number {
  return compare(one.service, other.service) || compare(one.replica, other.replica);
}
const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** What is said of a processor, by its id and version. */
type Said = Map<string, string>;

function addProcessor(processors: Map<string, AdvertisedProcessor>, said: Said, claim: Claim): string | undefined {
  const { service, replica, metadata } = claim;
  if (metadata.kind !== 'processor') return undefined;
  const { descriptor } = metadata;
  const known = processors.get(descriptor.id);
  if (!known) {
    if (processors.size >= ADVERTISED_LIMITS.maxProcessors)
      return tooMany('processors', ADVERTISED_LIMITS.maxProcessors);
    processors.set(descriptor.id, { descriptor, service, replicas: [replica] });
    saysOtherwise(said, descriptor);
    return undefined;
  }
  if (known.service !== service) return `the service "${known.service}" serves a processor of that id`;
  if (saysOtherwise(said, descriptor))
    return `another description of its version ${shown(descriptor.version)} is there: give what changed a version of its own`;
  if (!known.replicas.includes(replica)) known.replicas.push(replica);
  // While a service is being replaced, its replicas differ: the newest speaks for it.
  if (isNewer(descriptor.version, known.descriptor.version)) known.descriptor = descriptor;
  return undefined;
}

/** One version has one description: which of two an agent is resolved by would be chance. The first that is read counts. */
function saysOtherwise(said: Said, descriptor: ProcessorDescriptor): boolean {
  const key = `${descriptor.id} ${descriptor.version}`;
  const text = JSON.stringify(descriptor);
  const known = said.get(key);
  if (known === undefined) said.set(key, text);
  return known !== undefined && known !== text;
}

function addTool(tools: Map<string, AdvertisedTool>, { service, metadata }: Claim): string | undefined {
  if (metadata.kind !== 'tool') return undefined;
  const { tool } = metadata;
  const known = tools.get(tool.name);
  if (known) return known.service === service ? undefined : `the service "${known.service}" serves a tool of that name`;
  if (tools.size >= ADVERTISED_LIMITS.maxTools) return tooMany('tools', ADVERTISED_LIMITS.maxTools);
  tools.set(tool.name, { tool, service });
  return undefined;
}

const tooMany = (what: string, limit: number): string => `more than ${limit} ${what} are advertised`;
const isNewer = (version: string, than: string): boolean => version.localeCompare(than, 'en', { numeric: true }) > 0;

function claimsOf(info: SrvInfo, subjects: Subjects, refused: RefusedEndpoint[]): Claim[] {
  const ours = oursOf(info, subjects);
  if (ours.length === 0) return [];
  if (!isToken(info.name) || !isToken(info.id)) {
    refused.push({
      service: shown(info.name),
      name: shown(info.name),
      problem: 'its name or id cannot stand in a subject',
    });
    return [];
  }
  if (ours.length > ADVERTISED_LIMITS.maxEndpoints) {
    const problem = `it advertises ${ours.length} endpoints, more than ${ADVERTISED_LIMITS.maxEndpoints}`;
    refused.push({ service: shown(info.name), name: shown(info.name), problem });
    return [];
  }
  return ours.flatMap((endpoint) => {
    const read = readEndpoint(endpoint, subjects);
    if ('metadata' in read) return [{ service: info.name, replica: info.id, metadata: read.metadata }];
    refused.push({ service: shown(info.name), name: read.name, problem: read.problem });
    return [];
  });
}

/** A processor has an endpoint for each stage: what is wrong with all of them is told once. */
function distinct(refused: readonly RefusedEndpoint[]): RefusedEndpoint[] {
  const byText = new Map(refused.map((one) => [`${one.service} ${one.name} ${one.problem}`, one]));
  return [...byText.values()];
}
