// Serves processors: a subject for each stage of each, shared by queue group between replicas, and one that is this replica's
// own; sessions for the output stream. What a processor does becomes a verdict, whatever it does. The endpoints are given back for
// discovery: processor-service.ts shows those of a whole service.
import {
  MillraceError,
  SESSION_LIMITS,
  cancelCallSchema,
  lastToken,
  sessionInputSchema,
  sessionOpenSchema,
  stageCallSchema,
  type SessionOpen,
  type SessionOpened,
  type Stage,
} from '@millrace/contracts';
import {
  createStallGate,
  listen,
  serve,
  startHeartbeat,
  type Bus,
  type Endpoint,
  type Living,
  type Serving,
} from '@millrace/bus';
import type { Resources } from '@millrace/service';
import { answerCall, endpointName, type CallHost } from './answer-call.ts';
import { createCallRegistry, waitOutStall } from './call-registry.ts';
import { createHostedProcessors, refuseUnlikeDefinition } from './hosted-processor.ts';
import { describeProcessor, type ProcessorDefinition } from '../processor-definition.ts';
import { createSessionHost, type SessionHost } from './session-host.ts';

export type ServeProcessorsOptions = {
  bus: Bus;
  resources: Resources;
  /** Of processors whose definition names none. */
  version: string;
  definitions: readonly ProcessorDefinition[];
  /** Only these, by id (PROCESSORS). Absent: all. */
  only?: readonly string[] | undefined;
  /** How long calls under way are waited for when the service stops, ms. */
  drainGraceMs: number;
  /** Calls and sessions at once. */
  maxCalls?: number | undefined;
};

/** @throws processor-invalid for a processor that is not what it declares; processor-unknown when `only` names what is not there */
export async function serveProcessors(options: ServeProcessorsOptions): Promise<Endpoint[]> {
  const { bus, resources, version, drainGraceMs, maxCalls } = options;
  const definitions = selected(options);
  definitions.forEach(refuseUnlikeDefinition);
  await Promise.all(definitions.map(async (definition) => definition.prepare?.()));
  const hosted = createHostedProcessors(definitions);
  const calls = createCallRegistry(maxCalls, bus.id);
  const sessions = createSessionHost(bus, hosted);
  const working = new Set<Living>();
  const gate = createStallGate(bus);
  const heartbeat = startHeartbeat(bus.log, SESSION_LIMITS.heartbeatMs / 2, () => working);
  const host = { bus, hosted, calls, sessions, gate, working };

  const stages = [...new Set(definitions.flatMap((definition) => definition.stages))];
  const own = stages.map((stage) => serveStage(host, bus.subjects.stagesOfReplica(stage, bus.id), undefined, stage));
  const shared = definitions.flatMap((definition) =>
    definition.stages.map((stage) => endpoint(host, { version, ...definition }, stage)),
  );
  const cancels = listen(bus, bus.subjects.cancelCalls(bus.name), cancelCallSchema, ({ callIds }) =>
    calls.cancel(callIds),
  );
  const refuse = (error: Error, subject: string) => sessions.refuse(lastToken(subject), error.message);
  const batches = listen(bus, bus.subjects.sessionsOf(bus.name, bus.id), sessionInputSchema, sessions.receive, refuse);
  resources.add('processors', async (remainingMs) => {
    const graceMs = () => Math.min(drainGraceMs, remainingMs());
    const left = [...own, ...shared.map((served) => served.serving)].map((serving) => serving.drain(graceMs()));
    await Promise.all(left);
    await sessions.drain(graceMs());
    for (const one of [heartbeat, gate, cancels, batches]) one.stop();
  });
  return shared;
}

function selected({ definitions, only }: ServeProcessorsOptions): readonly ProcessorDefinition[] {
  const unknown = only?.filter((id) => !definitions.some((definition) => definition.id === id)) ?? [];
  if (unknown.length > 0) {
    throw new MillraceError(
      'processor-unknown',
      `PROCESSORS names what this service does not have: ${unknown.join(', ')}.`,
      {
        path: 'PROCESSORS',
        remedy: `Choose from ${definitions.map((definition) => definition.id).join(', ')}.`,
      },
    );
  }
  return definitions.filter((definition) => only === undefined || only.includes(definition.id));
}

type Host = CallHost & { sessions: SessionHost };

function endpoint(host: Host, definition: ProcessorDefinition, stage: Stage): Endpoint {
  const { id } = definition;
  const name = endpointName(stage, id);
  return {
    name,
    queue: id,
    data: () => ({ calls: host.calls.depth(name), maxCalls: host.calls.maxCalls }),
    serving: serveStage(host, host.bus.subjects.stage(stage, id), id, stage),
    metadata: { kind: 'processor', descriptor: describeProcessor(definition), stage },
  };
}

function serveStage(host: Host, subject: string, queue: string | undefined, stage: Stage): Serving {
  const { bus } = host;
  const shared = { subject, ...(queue !== undefined && { queue }) };
  return stage === 'processOutputStream'
    ? serve(bus, { ...shared, request: sessionOpenSchema, handle: (open) => openSession(host, open) })
    : serve(bus, { ...shared, request: stageCallSchema, handle: (call, context) => answerCall(host, call, context) });
}

async function openSession({ calls, sessions, gate }: Host, open: SessionOpen): Promise<SessionOpened> {
  const endpointOf = endpointName(open.stage, open.entries[0]?.processor);
  const call = calls.open(open.callId, open.remainingMs, open.run, endpointOf);
  try {
    const stall = waitOutStall(gate, call);
    if (stall) await stall;
    return await sessions.open(open, call);
  } catch (error) {
    call.close();
    throw error;
  }
}
