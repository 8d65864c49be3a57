// Serves processors: a subject for each stage of each, shared by replicas through a queue group, and a subject of this
// replica; sessions for the output stream. Every outcome of a processor becomes a verdict. Returns the endpoints for
// discovery: processor-service.ts advertises those of a whole service.
import {
  MillraceError,
  SESSION_LIMITS,
  WIRE_PROTOCOL,
  cancelCallSchema,
  checkCalledProcessors,
  PROCESSORS_HEADER,
  readLastToken,
  sessionInputSchema,
  sessionOpenSchema,
  stageCallSchema,
  type CallEntry,
  type SessionOpen,
  type SessionOpened,
  type Stage,
  type StageCall,
} from '@millrace/contracts';
import {
  createStallGate,
  listen,
  serve,
  startHeartbeat,
  type Bus,
  type MicroEndpoint,
  type ServeContext,
  type Living,
  type Serving,
} from '@millrace/bus';
import type { Resources } from '@millrace/service';
import { answerCall, buildEndpointName, type CallHost } from './answer-call.ts';
import { createCallRegistry, waitOutStall } from './call-registry.ts';
import { createHostedProcessors, refuseInvalidDescriptor, refuseUnlikeDefinition } from './hosted-processor.ts';
import { refuseDuplicates } from './refuse-duplicates.ts';
import { describeProcessor, type ProcessorDefinition } from '../processor/processor-definition.ts';
import { createSessionHost, type SessionHost } from './session-host.ts';

export type ServeProcessorsOptions = {
  bus: Bus;
  resources: Resources;
  /** Version of processors whose definition names none. */
  version: string;
  definitions: readonly ProcessorDefinition[];
  /** Serves only these, by id (PROCESSORS). Default: all. */
  only?: readonly string[] | undefined;
  /** Time to wait for calls under way when the service stops, ms. */
  drainGraceMs: number;
  /** Maximum number of concurrent calls and sessions. */
  maxCalls?: number | undefined;
};

/**
 * @throws processor-invalid for a processor that differs from its definition, and for two of one id; processor-unknown for an unknown name in
 * `only`
 */
export async function serveProcessors(options: ServeProcessorsOptions): Promise<MicroEndpoint[]> {
  const { bus, resources, version, drainGraceMs, maxCalls } = options;
  const definitions = selectDefinitions(options);
  definitions.forEach(refuseUnlikeDefinition);
  for (const definition of definitions) refuseInvalidDescriptor({ version, ...definition });
  await Promise.all(definitions.map(async (definition) => definition.prepare?.()));
  const hosted = createHostedProcessors(definitions);
  const calls = createCallRegistry(maxCalls, bus.id);
  const sessions = createSessionHost(bus, hosted);
  const working = new Set<Living>();
  const gate = createStallGate(bus);
  const heartbeat = startHeartbeat(bus.log, SESSION_LIMITS.heartbeatMs / 2, () => working);
  const host = { bus, hosted, calls, sessions, gate, working };

  const each = definitions.flatMap((definition) => definition.stages.map((stage) => ({ definition, stage })));
  const own = each.map(({ definition, stage }) =>
    serveStage(host, bus.subjects.stage(stage, identify(bus, definition), bus.id), { definition, stage }),
  );
  const shared = each.map(({ definition, stage }) => buildEndpoint(host, { version, ...definition }, stage));
  const cancels = listen(bus, bus.subjects.cancelCalls(bus.name), cancelCallSchema, ({ callIds }) =>
    calls.cancel(callIds),
  );
  const refuse = (error: Error, subject: string) => sessions.refuse(readLastToken(subject), error.message);
  const batches = listen(bus, bus.subjects.allSessions(bus.name, bus.id), sessionInputSchema, sessions.receive, refuse);
  resources.add('processors', async (remainingMs) => {
    const readGraceMs = () => Math.min(drainGraceMs, remainingMs());
    const left = [...own, ...shared.map(({ serving }) => serving)].map((serving) => serving.drain(readGraceMs()));
    await Promise.all(left);
    await sessions.drain(readGraceMs());
    for (const one of [heartbeat, gate, cancels, batches]) one.stop();
  });
  return shared;
}

function selectDefinitions({ definitions, only }: ServeProcessorsOptions): readonly ProcessorDefinition[] {
  const unknown = only?.filter((id) => !definitions.some((definition) => definition.id === id)) ?? [];
  if (unknown.length > 0) {
    throw new MillraceError('processor-unknown', `PROCESSORS contains unknown names: ${unknown.join(', ')}.`, {
      path: 'PROCESSORS',
      remedy: `Choose from ${definitions.map((definition) => definition.id).join(', ')}.`,
    });
  }
  refuseDuplicates(
    'processor',
    definitions.map(({ id }) => id),
  );
  return definitions.filter((definition) => only === undefined || only.includes(definition.id));
}

type ProcessorHost = CallHost & { sessions: SessionHost };

function buildEndpoint(host: ProcessorHost, definition: ProcessorDefinition, stage: Stage): MicroEndpoint {
  const { id } = definition;
  const name = buildEndpointName(stage, id);
  return {
    name,
    queue: id,
    data: () => ({ calls: host.calls.countDepth(name), maxCalls: host.calls.maxCalls }),
    serving: serveStage(host, host.bus.subjects.stage(stage, identify(host.bus, definition)), {
      definition,
      stage,
      queue: id,
    }),
    metadata: { kind: 'processor', protocol: WIRE_PROTOCOL, descriptor: describeProcessor(definition), stage },
  };
}

const identify = (bus: Bus, { id }: ProcessorDefinition) => ({ service: bus.name, processor: id });

type ServedStage = { definition: ProcessorDefinition; stage: Stage; queue?: string };

/** Rejects a request whose subject or header names other processors than its body: a tap sees only those two. */
function serveStage(host: ProcessorHost, subject: string, { definition, stage, queue }: ServedStage): Serving {
  const { bus } = host;
  const shared = { subject, ...(queue !== undefined && { queue }) };
  const check = (entries: readonly CallEntry[], { readHeader }: ServeContext) =>
    checkCalledProcessors(entries, definition.id, readHeader(PROCESSORS_HEADER));
  const open = async (request: SessionOpen, context: ServeContext) => {
    check(request.entries, context);
    return openSession(host, request);
  };
  const call = async (request: StageCall, context: ServeContext) => {
    check(request.entries, context);
    return answerCall(host, request, context);
  };
  return stage === 'processOutputStream'
    ? serve(bus, { ...shared, request: sessionOpenSchema, handle: open })
    : serve(bus, { ...shared, request: stageCallSchema, handle: call });
}

async function openSession({ calls, sessions, gate }: ProcessorHost, open: SessionOpen): Promise<SessionOpened> {
  const endpointPath = buildEndpointName(open.stage, open.entries[0]?.processor);
  const call = calls.open(open.callId, open.remainingMs, open.run, endpointPath);
  try {
    const stall = waitOutStall(gate, call);
    if (stall) await stall;
    return await sessions.open(open, call);
  } catch (error) {
    call.close();
    throw error;
  }
}
