// The checks of `millrace doctor` that need a connection, in the order of their lines.
import { WIRE_PROTOCOL, type ReplicaLoad, type StreamStatus } from '@millrace/contracts';
import type { Client } from '@millrace/client';
import type { Finding } from './doctor-finding.ts';

type Check = (client: Client) => Promise<Finding[]>;

const reportOk = (name: string, message: string): Finding => ({ level: 'ok', name, message });
const warn = (name: string, message: string, remedy: string): Finding => ({ level: 'warn', name, message, remedy });

/** Deadlines are by the clock of NATS; times in logs and lists are by those of the machines. ms */
const MAX_SKEW_MS = 2_000;

async function checkOrchestrator(client: Client): Promise<Finding[]> {
  const name = 'orchestrator';
  const askedAt = Date.now();
  const { orchestrator, version, protocol, at, problem } = await client.status();
  const skewMs = Math.round(Date.parse(at) - (askedAt + Date.now()) / 2);
  const summary = `${orchestrator} answers, version ${version}, protocol ${protocol}`;
  const found: Finding[] = [
    protocol === WIRE_PROTOCOL
      ? reportOk(name, summary)
      : {
          level: 'fail',
          name,
          message: `${summary}; this command speaks protocol ${WIRE_PROTOCOL}`,
          remedy: 'Run orchestrator and command in the same version.',
        },
  ];
  if (problem !== undefined)
    found.push({
      level: 'fail',
      name,
      message: problem,
      remedy: 'Read the log of NATS: the disk may be full, or a quorum is missing.',
    });
  found.push(
    Math.abs(skewMs) <= MAX_SKEW_MS
      ? reportOk('clock', `differs from the orchestrator's by ${Math.abs(skewMs)} ms`)
      : warn('clock', `differs from the orchestrator's by ${Math.abs(skewMs)} ms`, 'Synchronize the clocks (NTP).'),
  );
  return found;
}

/** Share of a limit from which a stream is reported. */
const NEARLY_FULL = 0.9;

async function checkStreams(client: Client): Promise<Finding[]> {
  const name = 'streams';
  const { streams, storage } = await client.status();
  const full = streams.filter((stream) => isNearlyFull(stream.bytes, stream.maxBytes));
  const sum = streams.reduce((total, { bytes }) => total + bytes, 0);
  const found = full.map((stream) => warn(name, describeRoom(stream), FULL_REMEDY));
  if (isNearlyFull(storage.usedBytes, storage.maxBytes))
    found.push(
      warn(
        name,
        `the account of NATS uses ${toMib(storage.usedBytes)} of ${toMib(storage.maxBytes ?? 0)}`,
        'Raise max_file_store of NATS.',
      ),
    );
  return found.length > 0 ? found : [reportOk(name, `${streams.length} have room, ${toMib(sum)} in all`)];
}

const FULL_REMEDY = 'Raise its limit: QUEUE_MAX_BYTES, LOG_MAX_BYTES or EVENTS_MAX_BYTES of the orchestrators.';
const isNearlyFull = (bytes: number, maxBytes?: number): boolean =>
  maxBytes !== undefined && bytes > maxBytes * NEARLY_FULL;
const describeRoom = ({ name, bytes, maxBytes = 0 }: StreamStatus): string =>
  `${name} has ${toMib(bytes)} of ${toMib(maxBytes)}`;
const toMib = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;

async function checkProcessors(client: Client): Promise<Finding[]> {
  const name = 'processors';
  const { processors, refused, claims = [] } = await client.processors.survey({ loads: true });
  const services = new Set(processors.map(({ service }) => service));
  const found = [
    processors.length > 0
      ? reportOk(name, `${processors.length} of ${[...services].toSorted().join(', ')}`)
      : warn(name, 'no service advertises one', 'Start the services: npm start, or docker compose up.'),
  ];
  for (const { service, name: processor, problem } of refused)
    found.push(
      warn(name, `${processor} of ${service} cannot be used: ${problem}`, 'Correct it, and start the service again.'),
    );
  for (const { service, name: processor, owner } of claims.slice(-1))
    found.push(
      warn(name, `${service} advertised ${processor}, which ${owner} serves`, 'millrace processors list --problems'),
    );
  for (const { id, loads = [], replicas } of processors) {
    const silent = replicas.length - loads.length;
    if (silent > 0)
      found.push(
        warn(name, `${silent} of ${replicas.length} replicas of ${id} do not answer`, 'Read the log of the service.'),
      );
    for (const load of loads.filter(isFull))
      found.push(
        warn(
          name,
          `${id} on ${load.replica} has ${load.calls} calls under way`,
          'Start another replica, or raise MAX_CALLS.',
        ),
      );
  }
  return found;
}

const isFull = ({ calls, maxCalls }: ReplicaLoad): boolean => maxCalls !== undefined && calls >= maxCalls;

async function checkAgents(client: Client): Promise<Finding[]> {
  const agents = await client.agents.list();
  if (agents.length === 0) return [warn('agents', 'none is applied', 'millrace agents apply FILE')];
  return [
    reportOk(
      'agents',
      `${agents.length} applied: ${agents
        .map(({ agent }) => agent.name)
        .slice(0, 10)
        .join(', ')}`,
    ),
  ];
}

async function checkModels(client: Client): Promise<Finding[]> {
  const name = 'models';
  const { providers, unknown } = await client.models();
  const models = providers.flatMap((provider) => provider.models);
  const down = models.filter(({ state }) => state !== 'ok');
  const found = [
    reportOk(name, `${providers.map((provider) => provider.name).join(', ')}; agents use ${models.length} models`),
    ...down.map(({ id, cause, until }) =>
      warn(name, `${id} is not asked until ${until} (${cause})`, 'Read the log of the orchestrators; docs/models.md.'),
    ),
  ];
  if (unknown.length > 0)
    found.push(
      warn(name, `no provider is configured for ${unknown.slice(0, 10).join(', ')}`, 'Set its key, or PROVIDERS.'),
    );
  return found;
}

async function checkMemories(client: Client): Promise<Finding[]> {
  const { total } = await client.threads.list({ limit: 1 });
  const { total: waiting } = await client.saves.list();
  const found = [reportOk('memory', `message-history answers, ${total} threads`)];
  await client.memory.get({ threadId: 'doctor' });
  found.push(reportOk('memory', 'working-memory answers'));
  if (waiting > 0)
    found.push(
      warn('memory', `${waiting} saves wait for their store`, 'Start the store; the orchestrators repeat the saves.'),
    );
  return found;
}

async function checkKeys(client: Client): Promise<Finding[]> {
  return [reportOk('auth', `answers, ${(await client.keys.list()).length} API keys`)];
}

async function checkRuns(client: Client): Promise<Finding[]> {
  const { letters } = await client.deadLetters.list({ limit: 100 });
  const suspended = await client.runs.listSuspended();
  const found = [
    reportOk(
      'runs',
      suspended.length === 0 ? 'none is suspended' : `${suspended.length} are suspended: millrace runs suspended`,
    ),
  ];
  if (letters.length > 0) found.push(warn('runs', `${letters.length} dead letters`, 'millrace dead-letters list'));
  return found;
}

export const CHECKS: Readonly<Record<string, Check>> = {
  orchestrator: checkOrchestrator,
  streams: checkStreams,
  processors: checkProcessors,
  agents: checkAgents,
  models: checkModels,
  memory: checkMemories,
  auth: checkKeys,
  runs: checkRuns,
};
