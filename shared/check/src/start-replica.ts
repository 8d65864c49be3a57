// A replica that the check starts itself, so that it may end it: a command in a shell, in a process group of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { gatherInfo, type Bus } from '@millrace/bus';
import { MillraceError, readAdvertised } from '@millrace/contracts';

export type StartOptions = { command: string; env: Readonly<Record<string, string | undefined>>; cwd: string };
export type StartedProcess = {
  /** Resolves when its process has ended. */
  exited: Promise<unknown>;
  signal(signal: NodeJS.Signals): void;
};
export type StartedReplica = StartedProcess & { replica: string; service: string };

const UP_MS = 30_000;
const GATHER_MS = 200;
const MAX_OUTPUT = 4_000;

/** A shell that is told to end waits for what it runs: else it ends first, and nobody knows when the replica does. */
const WAITING = process.platform === 'win32' ? '' : "trap 'exit 143' TERM; ";

/**
 * @param spawned is told of the process as soon as there is one, whether or not a replica comes up
 * @throws processor-not-there, with what it said, where it does not come up
 */
export async function startReplica(
  bus: Bus,
  name: string,
  start: StartOptions,
  spawned: (process: StartedProcess) => void,
): Promise<StartedReplica> {
  const before = new Set((await replicasOf(bus, name)).map(({ replica }) => replica));
  const child = spawn(`${WAITING}${start.command}`, {
    shell: true,
    detached: true,
    cwd: start.cwd,
    env: start.env,
    stdio: 'pipe',
  });
  let said = '';
  for (const output of [child.stdout, child.stderr])
    output.on('data', (data: Buffer) => (said = (said + data.toString()).slice(-MAX_OUTPUT)));
  const exited = once(child, 'exit').catch(() => undefined);
  const signal = (which: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, which);
    } catch {
      // It has ended.
    }
  };
  spawned({ exited, signal });
  const until = performance.now() + UP_MS;
  while (performance.now() < until && child.exitCode === null && child.signalCode === null) {
    const up = (await replicasOf(bus, name)).find(({ replica }) => !before.has(replica));
    if (up) return { ...up, exited, signal };
    await wait(GATHER_MS);
  }
  signal('SIGKILL');
  throw new MillraceError(
    'processor-not-there',
    `"${start.command}" brought up no replica of "${name}": ${said.trim()}`,
    {
      remedy: 'The command has to stay in the foreground and to connect to NATS_URL, which it is given.',
    },
  );
}

/** Of a processor, a tool, or a service of that name. */
async function replicasOf(bus: Bus, name: string): Promise<{ replica: string; service: string }[]> {
  const infos = await gatherInfo(bus, { gatherMs: GATHER_MS });
  const { processors, tools } = readAdvertised(infos, bus.subjects);
  const service = processors.get(name)?.service ?? tools.get(name)?.service ?? name;
  return infos.filter((info) => info.name === service).map((info) => ({ replica: info.id, service }));
}
