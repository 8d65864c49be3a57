// The discovery of a replica, written by hand from docs/wire.md: shared code could hide the same bug in both ends.
import { LIST_OF_STAGE, WIRE_PROTOCOL, type Stage } from '@millrace/contracts';
import { isInbox, type Bus } from '@millrace/bus';

export type WireJson = Record<string, unknown>;
export type WireEndpoint = { name: string; subject: string; queue_group: string; metadata: { millrace: string } };
export type WireHeaders = NonNullable<NonNullable<Parameters<Bus['nc']['publish']>[2]>['headers']>;
export type WireSubscription = { unsubscribe(): void };
export type DiscoveryQuirks = { version?: string | undefined; verbs?: readonly string[] | undefined };

const COUNTS = { num_requests: 0, num_errors: 0, last_error: '', processing_time: 0, average_processing_time: 0 };

/** Answers for every process, for the service and for the replica. */
export function answerDiscovery(
  { nc, name, id }: Bus,
  endpoints: readonly WireEndpoint[],
  { version = '1.0.0', verbs = ['PING', 'INFO', 'STATS'] }: DiscoveryQuirks = {},
): WireSubscription[] {
  const identity = { name, id, version, metadata: {} };
  const stats = endpoints.map(({ metadata: _, ...endpoint }) => ({ ...endpoint, ...COUNTS }));
  const answers: WireJson = {
    PING: { type: 'io.nats.micro.v1.ping_response', ...identity },
    INFO: { type: 'io.nats.micro.v1.info_response', ...identity, description: 'of the wire', endpoints },
    STATS: { type: 'io.nats.micro.v1.stats_response', ...identity, started: 'now', endpoints: stats },
  };
  return verbs.flatMap((verb) =>
    ['', `.${name}`, `.${name}.${id}`].map((tail) =>
      nc.subscribe(`$SRV.${verb}${tail}`, { callback: (_error, { reply }) => sendReply(nc, reply, answers[verb]) }),
    ),
  );
}

/** Sends a string unchanged. */
export function sendReply(nc: Bus['nc'], reply: string | undefined, value: unknown, headers?: WireHeaders): void {
  if (reply !== undefined && isInbox(reply)) nc.publish(reply, writeMessage(value), headers && { headers });
}

export const writeMessage = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Describes a processor by its endpoints. @param more replaces members of its descriptor */
export function describeProcessor(
  bus: Bus,
  id: string,
  stages: readonly Stage[],
  more: WireJson = {},
  queue = id,
): WireEndpoint[] {
  const descriptor = {
    id,
    description: 'of the wire',
    version: '1.0.0',
    stages,
    reads: ['input', 'response'],
    processDataParts: false,
    optionsSchema: { type: 'object' },
    aliases: [],
    lists: [...new Set(stages.map((stage) => LIST_OF_STAGE[stage]))],
    policy: { timeoutMs: 2_000, attempts: 1, onFailure: 'fail' },
    ...more,
  };
  return stages.map((stage) => ({
    name: `${stage}-${id}`,
    subject: bus.subjects.stage(stage, { service: bus.name, processor: id }),
    queue_group: queue,
    metadata: { millrace: JSON.stringify({ kind: 'processor', protocol: WIRE_PROTOCOL, stage, descriptor }) },
  }));
}
