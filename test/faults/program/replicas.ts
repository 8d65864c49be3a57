// The processes of the load, each with its own proxy to NATS, so that a fault can hit one of them alone. An ended
// replica is started again.
import { resolve } from 'node:path';
import { eventually, type Stack } from '@millrace/testkit/bench';
import { startCutProxy, type CutProxy } from './cut-proxy.ts';

export const SERVICE_ROLES = ['orchestrator', 'guardrails', 'ledger', 'message-history'] as const;
export type ServiceRole = (typeof SERVICE_ROLES)[number];
type Replica = {
  role: ServiceRole;
  pid: number;
  proxy: CutProxy;
  /** Restarts the replica on the same proxy; resolves when discovery lists it. */
  startAgain(): Promise<void>;
};

const LEDGER_SERVICE = resolve(import.meta.dirname, 'ledger-service.ts');
const GONE_TIMEOUT_MS = 60_000;

export type Replicas = {
  listReplicas(role: ServiceRole): Replica[];
  /** Replicas that ended without being ended by the program. */
  endedByThemselves(): Replica[];
  close(): Promise<void>;
};

export async function startReplicas(
  stack: Stack,
  natsPort: number,
  roles: readonly ServiceRole[],
  env: Record<string, string>,
): Promise<Replicas> {
  const replicas: Replica[] = [];
  // One at a time, because a new replica is recognized by the difference to the previous list.
  let starting: Promise<unknown> = Promise.resolve();
  const start = (role: ServiceRole, proxy: CutProxy): Promise<number> => {
    const started = starting.then(() => startOne(role, proxy));
    starting = started.catch(() => undefined);
    return started;
  };
  const startOne = async (role: ServiceRole, proxy: CutProxy) => {
    const before = new Set(stack.pids().map(({ pid }) => pid));
    const own = { ...env, NATS_URL: `nats://127.0.0.1:${proxy.port}` };
    if (role === 'ledger') await stack.startProgram('ledger', LEDGER_SERVICE, own);
    else await stack.start(role, own);
    return stack.pids().find(({ service, pid }) => service === role && !before.has(pid))?.pid ?? 0;
  };
  for (const role of roles) {
    const proxy = await startCutProxy(natsPort);
    const replica: Replica = {
      role,
      pid: await start(role, proxy),
      proxy,
      async startAgain() {
        await eventually(() => !isRunning(replica.pid), { timeoutMs: GONE_TIMEOUT_MS });
        replica.pid = await start(role, proxy);
      },
    };
    replicas.push(replica);
  }
  const isRunning = (pid: number) => stack.pids().some((running) => running.pid === pid);
  return {
    listReplicas: (role) => replicas.filter((replica) => replica.role === role),
    endedByThemselves: () => replicas.filter(({ pid }) => !isRunning(pid)),
    close: async () => void (await Promise.all(replicas.map(({ proxy }) => proxy.close()))),
  };
}
