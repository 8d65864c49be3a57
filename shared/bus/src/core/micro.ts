// Implements the NATS services protocol (ADR-32), because the client's implementation does not wait for handlers:
// answers $SRV.PING, INFO and STATS for one process, so that the stock `nats micro ls` lists it, and sends these
// requests to others.
import {
  MAX_PART_PROBLEMS,
  MillraceError,
  srvInfoSchema,
  srvPingSchema,
  srvStatsSchema,
  type EndpointLoad,
  type EndpointMetadata,
  type PartProblem,
  type ServiceLimits,
  type SrvInfo,
  type SrvPing,
  type SrvStats,
  METADATA_KEY,
} from '@millrace/contracts';
import type { Msg } from 'nats';
import type { z } from 'zod';
import type { Bus } from './bus.ts';
import { isInbox } from '../connection/inbox.ts';
import { request } from './request.ts';
import type { Serving } from './serve.ts';
import { subscribe } from '../connection/subscribe.ts';
import { decode, encode } from './wire.ts';

/** `name` matches [A-Za-z0-9_-]+; one for each subject that the process serves. */
export type MicroEndpoint = {
  name: string;
  queue: string;
  serving: Serving;
  metadata: EndpointMetadata;
  /** Additional data in STATS: the calls under way. */
  data?: () => EndpointLoad;
};
export type MicroService = {
  name: string;
  version: string;
  description: string;
  limits?: ServiceLimits;
  /** Parts that the process cannot serve. */
  problems?: () => readonly PartProblem[];
  /** Endpoints do not change: another advertisement is another object. */
  endpoints: () => readonly MicroEndpoint[];
};

const VERBS = ['PING', 'INFO', 'STATS'] as const;
const NS_PER_MS = 1_000_000;
const INFO_SUBJECT = '$SRV.INFO';

/** Version pattern of ADR-32: clients omit or hide services with another one. */
const SEMANTIC_VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

/** Returns a function that stops it. @throws config-invalid for a version that is not semantic */
export function advertise(bus: Bus, service: MicroService): () => void {
  if (!SEMANTIC_VERSION.test(service.version)) {
    throw new MillraceError(
      'config-invalid',
      `The version of the service "${service.name}" is "${service.version}", which is not a semantic version.`,
      { path: 'version', remedy: 'Give the service a version such as 1.0.0.' },
    );
  }
  const started = new Date().toISOString();
  const answers = {
    PING: () => encode(ping(bus, service)),
    INFO: createInfoEncoder(bus, service),
    STATS: () => encode(buildStats(bus, service, started)),
  };
  const subscriptions = VERBS.flatMap((verb) =>
    [`$SRV.${verb}`, `$SRV.${verb}.${service.name}`, `$SRV.${verb}.${service.name}.${bus.id}`].map((subject) =>
      subscribe(bus, subject, {
        take: ({ reply }) => {
          if (reply && isInbox(reply)) bus.nc.publish(reply, answers[verb]());
        },
      }),
    ),
  );
  return () => subscriptions.forEach((subscription) => subscription.unsubscribe());
}

function buildIdentity(bus: Bus, service: MicroService) {
  const { name, version } = service;
  const own = buildOwnMetadata(service);
  return { name, id: bus.id, version, metadata: own === undefined ? {} : { [METADATA_KEY]: own } };
}

/** Maximum length of a name or problem of a part. */
const MAX_PART_TEXT = 200;

function buildOwnMetadata({ limits, problems = () => [] }: MicroService): string | undefined {
  const parts = problems()
    .slice(0, MAX_PART_PROBLEMS)
    .map(({ name, problem }) => ({ name: name.slice(0, MAX_PART_TEXT), problem: problem.slice(0, MAX_PART_TEXT) }));
  if (!limits && parts.length === 0) return undefined;
  const own: ServiceLimits = { ...limits, ...(parts.length > 0 && { problems: parts }) };
  return JSON.stringify(own);
}

function ping(bus: Bus, service: MicroService): SrvPing {
  return { type: 'io.nats.micro.v1.ping_response', ...buildIdentity(bus, service) };
}

/** Encodes the answer again only if it changes: every orchestrator asks every few seconds, and schemas can have 100 KB. */
function createInfoEncoder(bus: Bus, service: MicroService): () => Buffer {
  let last: { own: string | undefined; endpoints: readonly MicroEndpoint[]; encoded: Buffer } | undefined;
  return () => {
    const [own, endpoints] = [buildOwnMetadata(service), service.endpoints()];
    const isSame =
      last?.own === own &&
      last?.endpoints.length === endpoints.length &&
      endpoints.every((one, at) => one === last?.endpoints[at]);
    if (!last || !isSame)
      last = { own, endpoints: [...endpoints], encoded: encode(buildInfo(bus, service, endpoints)) };
    return last.encoded;
  };
}

function buildInfo(bus: Bus, service: MicroService, served: readonly MicroEndpoint[]): SrvInfo {
  const endpoints = served.map(({ name, queue, serving, metadata }) => ({
    name,
    subject: serving.subject,
    queue_group: queue,
    metadata: { [METADATA_KEY]: JSON.stringify(metadata) },
  }));
  const { description } = service;
  return { type: 'io.nats.micro.v1.info_response', ...buildIdentity(bus, service), description, endpoints };
}

function buildStats(bus: Bus, service: MicroService, started: string): SrvStats {
  const endpoints = service.endpoints().map(({ name, queue, serving, data }) => {
    const { requests, errors, lastError, processingMs } = serving.stats;
    const ns = Math.round(processingMs * NS_PER_MS);
    return {
      name,
      subject: serving.subject,
      queue_group: queue,
      num_requests: requests,
      num_errors: errors,
      last_error: lastError,
      processing_time: ns,
      average_processing_time: requests === 0 ? 0 : Math.round(ns / requests),
      ...(data && { data: data() }),
    };
  });
  return { type: 'io.nats.micro.v1.stats_response', ...buildIdentity(bus, service), started, endpoints };
}

type Gather = {
  /** Maximum time to wait for replies, ms, if fewer than `max` arrive. */
  gatherMs: number;
  max?: number;
};

/** Lists the running replicas of all services or of one. */
export function gatherInfo(bus: Bus, options: Gather & { service?: string }): Promise<SrvInfo[]> {
  const subject = options.service === undefined ? INFO_SUBJECT : `${INFO_SUBJECT}.${options.service}`;
  return gather(bus, subject, srvInfoSchema, options);
}

export function gatherPings(bus: Bus, service: string, options: Gather): Promise<SrvPing[]> {
  return gather(bus, `$SRV.PING.${service}`, srvPingSchema, options);
}

/** Asks one replica (`service.replica`), or all of a service, for its statistics. */
export function gatherStats(bus: Bus, service: string, options: Gather): Promise<SrvStats[]> {
  return gather(bus, `$SRV.STATS.${service}`, srvStatsSchema, options);
}

/** Returns true if the subject has no subscriber, according to the server: a slow process has not left. */
export async function hasLeft(bus: Bus, serviceAndReplica: string, timeoutMs: number): Promise<boolean> {
  const subject = `$SRV.PING.${serviceAndReplica}`;
  const answer = await request(bus, { subject, payload: {}, reply: srvPingSchema, timeoutMs });
  return 'error' in answer && answer.error.code === 'nobody-there';
}

/** Maximum size of one process's reply as JSON: names, descriptions, schemas. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
/** Maximum size of all replies to one request. */
const MAX_GATHERED_BYTES = 64 * 1024 * 1024;
/** Added to the size of each reply, so that the limit bounds the number of empty replies too. */
const REPLY_BYTES = 256;

/**
 * Foreign services answer on these subjects too: their invalid replies are ignored. Oversized replies are ignored with
 * a warning.
 */
export async function gather<T>(bus: Bus, subject: string, schema: z.ZodType<T>, options: Gather): Promise<T[]> {
  const found: T[] = [];
  await collect(bus, subject, options, (data) => {
    const answer = decode(data, schema, subject);
    if ('ok' in answer) found.push(answer.ok);
    return found.length;
  });
  return found;
}

/** Lists the running replicas of all services as undecoded replies, which `readInfo` decodes: most lists are the same as the one before. */
export async function gatherInfoBytes(bus: Bus, gatherMs: number): Promise<Uint8Array[]> {
  const found: Uint8Array[] = [];
  await collect(bus, INFO_SUBJECT, { gatherMs }, (data) => found.push(data));
  return found;
}

/** Returns undefined for the invalid reply of a foreign service. */
export function readInfo(data: Uint8Array): SrvInfo | undefined {
  const answer = decode(data, srvInfoSchema, INFO_SUBJECT);
  return 'ok' in answer ? answer.ok : undefined;
}

/** @param take receives a reply, and returns the number of replies that count */
function collect(
  bus: Bus,
  subject: string,
  { gatherMs, max }: Gather,
  take: (data: Uint8Array) => number,
): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const finish = () => {
      clearTimeout(timer);
      inbox.release();
      resolve();
    };
    const receive = (message: Msg) => {
      if (message.headers?.code === 503) return finish();
      bytes += REPLY_BYTES + message.data.length;
      if (message.data.length > MAX_ANSWER_BYTES || bytes > MAX_GATHERED_BYTES) {
        bus.log.warn({ subject, bytes: message.data.length, all: bytes }, 'oversized discovery reply ignored');
        // All further replies would be ignored too, with a line of log each.
        if (bytes > MAX_GATHERED_BYTES) finish();
        return;
      }
      const count = take(message.data);
      if (max !== undefined && count >= max) finish();
    };
    const inbox = bus.inbox.open(receive, subject, finish);
    const timer = setTimeout(finish, gatherMs);
    bus.nc.publish(subject, undefined, { reply: inbox.subject });
  });
}
