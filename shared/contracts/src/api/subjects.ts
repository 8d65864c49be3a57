// Builds all subjects, streams, buckets and keys. No other module spells them.
import { MillraceError } from '../base/errors.ts';
import type { RunParty } from './caller.ts';
import type { ApiVerb } from './api.ts';
import type { Stage } from '../base/stage.ts';
import { isToken } from '../base/tokens.ts';

export const DEFAULT_PREFIX = 'mr.v1';

export type LogKind = 'chunks' | 'retract';
/** A processor with the service that serves it. */
export type ServedProcessor = { service: string; processor: string };
/** `caller`: caller.ts defines it. The verbs of a run name the run. */
export type ApiAddress = { tenant: string; caller: string; run?: string | undefined };
export type Subjects = ReturnType<typeof createSubjects>;

/** @throws token-invalid with the token if an id is not a valid subject token. */
export function createSubjects(prefix: string = DEFAULT_PREFIX) {
  const join = (...tokens: string[]) => [prefix, ...tokens.map(checkToken)].join('.');
  const joinUnderPrefix = (...tokens: string[]) => `${join(...tokens)}.>`;
  const patterns = createPatterns(join);
  return {
    prefix,
    /** The service is the one that the plan names, so that another service that serves the processor receives none of its calls. */
    stage: (stage: Stage, { service, processor }: ServedProcessor, replica?: string) =>
      join('stage', stage, service, processor, ...(replica === undefined ? [] : [replica])),
    session: (service: string, replica: string, session: string) => join('session', service, replica, session),
    allSessions: (service: string, replica: string) => `${join('session', service, replica)}.*`,
    out: (orchestrator: string, session: string) => join('out', orchestrator, session),
    allOuts: (orchestrator: string) => `${join('out', orchestrator)}.*`,
    tool: (service: string, tool: string) => join('tool', service, tool),
    api: (verb: ApiVerb, { tenant, caller, run }: ApiAddress) =>
      join('api', verb, tenant, caller, ...(run === undefined ? [] : [run])),
    apiOfAll: (verb: ApiVerb, withRun: boolean) => patterns.api(verb, { tenant: '*', caller: '*' }, withRun),
    chunks: (tenant: string, caller: string, run: string) => join('chunks', tenant, caller, run),
    /** The chunks of a run of any caller: for operators. */
    chunksOfAnyCaller: (tenant: string, run: string) => `${join('chunks', tenant)}.*.${checkToken(run)}`,
    allChunks: joinUnderPrefix('chunks'),
    /** Batches with a retract have a separate subject, so that a reader finds all of them without reading the rest. */
    log: (tenant: string, run: string, kind: LogKind) => join('log', String(logShard(tenant, run)), tenant, run, kind),
    runLog: (tenant: string, run: string) => `${join('log', String(logShard(tenant, run)), tenant, run)}.*`,
    shardLogs: (shard: number) => `${join('log', String(shard))}.>`,
    logs: joinUnderPrefix('log'),
    events: (shard: string, tenant: string, run: string) => join('events', shard, tenant, run),
    allEvents: joinUnderPrefix('events'),
    /** What processors changed in a run. */
    changes: (tenant: string, run: string) => join('changes', tenant, run),
    allChanges: joinUnderPrefix('changes'),
    changesOfTenant: (tenant: string) => `${join('changes')}.${checkToken(tenant)}.*`,
    /** Events about services that advertise a served name: outside of all tenants and runs. */
    claims: join('events', 'claims'),
    eventsOfTenant: (tenant: string) => `${join('events')}.*.${checkToken(tenant)}.*`,
    /** A tenant's commands in one of the `RUN_SHARDS` shards of the command queue. */
    runs: (shard: number, tenant: string) => join('runs', String(shard), tenant),
    runsOfShard: (shard: number) => `${join('runs', String(shard))}.*`,
    allRuns: `${join('runs')}.*.*`,
    /** Commands as versions without shards publish them: the queue delivers them, and no current component publishes them. */
    unshardedRuns: `${join('runs')}.*`,
    /** A schedule: when it is due, the server publishes its payload on `expiries`, in the same stream. */
    timer: (tenant: string, run: string) => join('timers', tenant, run),
    allTimers: joinUnderPrefix('timers'),
    expiries: join('expiries'),
    /**
     * Subjects that a process writes to check whether a stream accepts writes: outside of all tenants and consumers.
     */
    probes: {
      runs: join('runs', 'probe', 'probe'),
      timers: join('timers', 'probe'),
      events: join('events', 'probe'),
      log: (shard: number) => join('log', String(shard), 'probe'),
      /** Key of the probe in a bucket. */
      key: 'probe',
    },
    control: (tenant: string, run: string) => join('control', tenant, run),
    controls: `${join('control')}.*.*`,
    /** Between orchestrators: asks the owner of a run for its report. */
    inspect: (orchestrator: string) => join('inspect', orchestrator),
    /**
     * Pings other orchestrators: all running ones, or one by its id. An orchestrator answers until it has handed its
     * runs over.
     */
    peer: (orchestrator?: string) => (orchestrator === undefined ? join('peer') : join('peer', orchestrator)),
    cancelCalls: (service: string) => join('cancel', service),
    /** Asks auth for the identity of a credential. */
    verify: join('auth', 'verify'),
    /** Exchanges a credential for a bus token. */
    exchange: join('auth', 'exchange'),
    /** The id of a key that auth refuses from now on. */
    revoked: join('auth', 'revoked'),
    /** Makes a service delete its data of a thread or of messages. */
    forget: (service: string) => join('forget', service),
    patterns,
  };
}

/** Builds the patterns of subjects that permissions name. `*` is allowed for a service, a tenant and a caller. */
function createPatterns(join: (...tokens: string[]) => string) {
  const spell = (kind: string, ...tokens: string[]) =>
    [join(kind), ...tokens.map((token) => (token === '*' ? token : checkToken(token)))].join('.');
  return {
    stages: (service: string) => `${spell('stage', '*', service)}.>`,
    tools: (service: string) => spell('tool', service, '*'),
    sessions: (service: string) => `${spell('session', service)}.>`,
    outs: spell('out', '*', '*'),
    cancels: spell('cancel', '*'),
    forgets: spell('forget', '*'),
    api: (verb: ApiVerb, { tenant, caller }: Pick<ApiAddress, 'tenant' | 'caller'>, withRun: boolean) =>
      spell('api', verb, tenant, caller, ...(withRun ? ['*'] : [])),
    chunks: (tenant: string, caller: string) => spell('chunks', tenant, caller, '*'),
    inspections: spell('inspect', '*'),
    peers: spell('peer', '*'),
    timers: `${join('timers')}.>`,
  };
}

function checkToken(token: string): string {
  if (isToken(token)) return token;
  throw new MillraceError('token-invalid', `"${token}" is not a valid subject token.`, {
    remedy: 'Use 1 to 64 characters of A-Z, a-z, 0-9, "_" and "-".',
  });
}

/** The last token of a subject, for example the session of an out subject. */
export function readLastToken(subject: string): string {
  return subject.slice(subject.lastIndexOf('.') + 1);
}

/** Reads the address of a subject of the api; undefined if tenant or caller is missing. */
export function readApiAddress(prefix: string, subject: string): ApiAddress | undefined {
  const [, , tenant, caller, run] = subject.slice(prefix.length + 1).split('.');
  if (tenant === undefined || caller === undefined) return undefined;
  return { tenant, caller, ...(run !== undefined && { run }) };
}

/** Returns the place of the verb among the tokens of a subject or pattern of the api; undefined for any other. */
export function findVerbPlace(prefix: string, subject: string): number | undefined {
  return subject.startsWith(`${prefix}.api.`) ? prefix.split('.').length + 1 : undefined;
}

/** Reads tenant and run of a control subject. Absent tokens are undefined. */
export function readControlAddress(
  prefix: string,
  subject: string,
): { tenant: string | undefined; run: string | undefined } {
  const [, tenant, run] = subject.slice(prefix.length + 1).split('.');
  return { tenant, run };
}

/** Tenant and run of a batch in the chunk log; undefined for any other subject. */
export function parseLogSubject(prefix: string, subject: string): { tenant: string; run: string } | undefined {
  const [kind, , tenant, run, , ...rest] = subject.slice(prefix.length + 1).split('.');
  const isLog = subject.startsWith(`${prefix}.`) && kind === 'log' && rest.length === 0;
  return isLog && tenant !== undefined && run !== undefined ? { tenant, run } : undefined;
}

/** Shard and tenant of a sharded command's subject; undefined for any other subject. */
export function parseShardSubject(prefix: string, subject: string): { shard: number; tenant: string } | undefined {
  const [kind, shard = '', tenant, ...rest] = subject.slice(prefix.length + 1).split('.');
  const isSharded = subject.startsWith(`${prefix}.`) && kind === 'runs' && /^\d+$/.test(shard) && rest.length === 0;
  return isSharded && tenant !== undefined ? { shard: Number(shard), tenant } : undefined;
}

/**
 * Shards of the log: a run's shard is part of its subject and never changes. The number of streams that hold them is
 * configuration.
 */
export const LOG_SHARDS = 16;

export const logShard = (tenant: string, run: string): number => hashText(`${tenant}.${run}`) % LOG_SHARDS;

/** Shards of the command queue: each has a consumer of its own, so that a backlog in one does not delay the others. */
export const RUN_SHARDS = 16;

/** The shard that takes a caller's commands unless others have a backlog there. */
export const computeHomeShard = ({ tenant, caller }: RunParty): number => hashText(`${tenant}.${caller}`) % RUN_SHARDS;

/** FNV-1a spreads all forms of ids. */
function hashText(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01_00_01_93);
  return hash >>> 0;
}

/**
 * Streams and buckets include the prefix too, so that two Millraces can share a server. Their names cannot contain
 * dots.
 */
export function createNames(prefix: string = DEFAULT_PREFIX) {
  const prefixName = (name: string) => `${prefix.replaceAll('.', '_')}_${name}`;
  return {
    runs: prefixName('RUNS'),
    /** The log's streams, from 0 on. */
    chunks: (stream: number) => prefixName(stream === 0 ? 'CHUNKS' : `CHUNKS_${stream}`),
    events: prefixName('EVENTS'),
    changes: prefixName('CHANGES'),
    state: prefixName('STATE'),
    agents: prefixName('AGENTS'),
    saves: prefixName('SAVES'),
    erasures: prefixName('ERASURES'),
    circuits: prefixName('CIRCUITS'),
    budgets: prefixName('BUDGETS'),
    /** API keys: auth alone reads and writes them. */
    keys: prefixName('KEYS'),
    /** The consumer of one shard of the command queue; without a shard that of unsharded commands. */
    worker: (shard?: number) => prefixName(shard === undefined ? 'WORKER' : `WORKER_${shard}`),
    timers: prefixName('TIMERS'),
    expirer: prefixName('EXPIRER'),
  };
}

/** Keys in the state bucket. Tenant first after the kind; run ids are tokens, so none of these can collide. */
export const stateKeys = {
  head: (tenant: string, run: string) => `head.${checkToken(tenant)}.${checkToken(run)}`,
  record: (tenant: string, run: string, name: string) =>
    `record.${checkToken(tenant)}.${checkToken(run)}.${checkToken(name)}`,
  records: (tenant: string, run: string) => `record.${checkToken(tenant)}.${checkToken(run)}.*`,
  heads: (tenant: string) => `head.${checkToken(tenant)}.*`,
  allHeads: 'head.*.*',
  end: (tenant: string, run: string, name: string) =>
    `end.${checkToken(tenant)}.${checkToken(run)}.${checkToken(name)}`,
  ends: (tenant: string, run: string) => `end.${checkToken(tenant)}.${checkToken(run)}.*`,
  /** Without an epoch: the key of earlier versions. */
  suspension: (tenant: string, run: string, epoch?: number) =>
    ['suspension', checkToken(tenant), checkToken(run), ...(epoch === undefined ? [] : [epoch])].join('.'),
  allSuspensions: (tenant: string, run: string) => `suspension.${checkToken(tenant)}.${checkToken(run)}.*`,
  suspensions: (tenant: string) => `suspension.${checkToken(tenant)}.>`,
  resumption: (tenant: string, run: string, pending: string) =>
    `resumption.${checkToken(tenant)}.${checkToken(run)}.${checkToken(pending)}`,
  resumptions: (tenant: string, run: string) => `resumption.${checkToken(tenant)}.${checkToken(run)}.*`,
  /** Data of a deferred save. */
  save: (tenant: string, run: string) => `save.${checkToken(tenant)}.${checkToken(run)}`,
  deadLetter: (tenant: string, run: string) => `dead.${checkToken(tenant)}.${checkToken(run)}`,
  deadLetters: (tenant: string) => `dead.${checkToken(tenant)}.*`,
  cancel: (tenant: string, run: string) => `cancel.${checkToken(tenant)}.${checkToken(run)}`,
  /** A cancel of a run that the caller may still submit; with `submission` of that one submission of it. */
  tombstone: (tenant: string, run: string, caller: string, submission?: string) =>
    ['tombstone', ...[tenant, run, caller, ...(submission === undefined ? [] : [submission])].map(checkToken)].join(
      '.',
    ),
  /** The last submission that joined a run which another submission had created. */
  joined: (tenant: string, run: string) => `joined.${checkToken(tenant)}.${checkToken(run)}`,
  /** The claim on the runs of an orchestrator that has left. */
  claim: (orchestrator: string) => `claim.${checkToken(orchestrator)}`,
};
/** Key in the bucket of deferred saves. */
export const saveKey = (tenant: string, run: string): string => `${checkToken(tenant)}.${checkToken(run)}`;
/** Key in the bucket of erasures. @param resource hash of the resource */
export const buildErasureKey = (tenant: string, resource: string): string =>
  `${checkToken(tenant)}.${checkToken(resource)}`;
export const buildAgentKey = (tenant: string, agent: string): string => `${checkToken(tenant)}.${checkToken(agent)}`;
