// Starts a replica that the check may end: a command in a shell, in a process group of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { gatherInfo, type Bus } from '@millrace/bus';
import { MillraceError, readAdvertised } from '@millrace/contracts';
import { requireDiscovery } from './require-discovery.ts';

export type StartReplicaOptions = { command: string; env: Readonly<Record<string, string | undefined>>; cwd: string };
export type ReplicaProcess = {
  /** Resolves when its process has ended. */
  exited: Promise<unknown>;
  sendSignal(sendSignal: NodeJS.Signals): void;
};
export type StartedReplica = ReplicaProcess & { replica: string; service: string };

const UP_MS = 30_000;
const GATHER_MS = 200;
const MAX_OUTPUT = 4_000;

/**
 * On SIGTERM the shell waits for its program: otherwise it would end first, and the end of the replica would be
 * unknown.
 */
const WAITING = process.platform === 'win32' ? '' : "trap 'exit 143' TERM; ";

/**
 * @param onSpawned called as soon as the process exists, before it is a replica
 * @throws processor-not-there with its output if it does not become a replica
 */
export async function startReplica(
  bus: Bus,
  name: string,
  start: StartReplicaOptions,
  onSpawned: (process: ReplicaProcess) => void,
): Promise<StartedReplica> {
  const before = new Set((await listReplicas(bus, name)).map(({ replica }) => replica));
  const child = spawn(`${WAITING}${start.command}`, {
    shell: true,
    detached: true,
    cwd: start.cwd,
    env: start.env,
    stdio: 'pipe',
  });
  let startOutput = '';
  for (const output of [child.stdout, child.stderr])
    output.on('data', (data: Buffer) => (startOutput = (startOutput + data.toString()).slice(-MAX_OUTPUT)));
  const exited = once(child, 'exit').catch(() => undefined);
  const sendSignal = (which: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, which);
    } catch {
      // The process has ended.
    }
  };
  onSpawned({ exited, sendSignal });
  const until = performance.now() + UP_MS;
  while (performance.now() < until && child.exitCode === null && child.signalCode === null) {
    const up = (await listReplicas(bus, name)).find(({ replica }) => !before.has(replica));
    if (up) return { ...up, exited, sendSignal };
    await wait(GATHER_MS);
  }
  sendSignal('SIGKILL');
  throw new MillraceError(
    'processor-not-there',
    `"${start.command}" started no replica of "${name}": ${startOutput.trim()}`,
    {
      remedy: 'The command must stay in the foreground and connect to NATS_URL of its environment.',
    },
  );
}

/** Lists the replicas of a processor, a tool, or a service of that name. */
async function listReplicas(bus: Bus, name: string): Promise<{ replica: string; service: string }[]> {
  const infos = await gatherInfo(bus, { gatherMs: GATHER_MS });
  requireDiscovery(bus);
  const { processors, tools } = readAdvertised(infos, bus.subjects);
  const service = processors.get(name)?.service ?? tools.get(name)?.service ?? name;
  return infos.filter((info) => info.name === service).map((info) => ({ replica: info.id, service }));
}
