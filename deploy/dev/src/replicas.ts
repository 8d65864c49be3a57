// The replicas of one service: one from the start of the stack, others by `millrace scale`. Each is supervised by itself.
import { MillraceError } from '@millrace/contracts';
import { startServiceProcess } from './service-process.ts';
import { superviseService, type SuperviseOptions, type SupervisedService } from './supervise-service.ts';

export type ServiceReplicas = {
  name: string;
  logFile: string;
  readPids(): number[];
  /**
   * Restarts one replica after the other, each as a process of its own: a host keeps the sources that it has loaded.
   * @throws config-invalid if one does not start
   */
  restart(): Promise<void>;
  /** @throws config-invalid if the service can have no second replica */
  scale(replicas: number): Promise<void>;
  /** Resolves with the reason once a replica stays down. */
  gaveUp: Promise<string>;
  /** Idempotent. */
  stop(): Promise<void>;
};

export function startReplicas(options: SuperviseOptions): ServiceReplicas {
  const { spec, logFile } = options;
  const { promise: gaveUp, resolve: reportGivenUp } = Promise.withResolvers<string>();
  let isStopped = false;
  let former: Promise<unknown> = Promise.resolve();

  function add(over: Partial<SuperviseOptions> = { startProcess: startServiceProcess }): SupervisedService {
    const service = superviseService({ ...options, ...over });
    void service.gaveUp.then((reason) => {
      // It stays down: a scale would count it in place of a running one.
      replicas = replicas.filter((other) => other !== service);
      reportGivenUp(reason);
    });
    return service;
  }
  let replicas = [add({})];

  async function addStarted(): Promise<void> {
    if (isStopped) return;
    const service = add();
    replicas.push(service);
    const problem = await service.started;
    if (problem !== undefined && !isStopped)
      throw new MillraceError('config-invalid', `${spec.name} ${problem}. Its log: ${logFile}`);
  }
  async function remove(service: SupervisedService): Promise<void> {
    replicas = replicas.filter((other) => other !== service);
    await service.stop();
  }
  /** Two commands at once would count the replicas of each other. */
  function queue(change: () => Promise<void>): Promise<void> {
    const changed = former.then(change);
    former = changed.catch(() => undefined);
    return changed;
  }
  return {
    name: spec.name,
    logFile,
    gaveUp,
    readPids: () => replicas.flatMap((service) => service.readPid() ?? []),
    restart: () =>
      queue(async () => {
        if (replicas.length === 0) return addStarted();
        for (const service of replicas) {
          await remove(service);
          await addStarted();
        }
      }),
    scale: (count) =>
      queue(async () => {
        const problem = count > 1 ? findSingleReason(spec.env) : undefined;
        if (problem !== undefined)
          throw new MillraceError('config-invalid', `${spec.name} can have one replica only: ${problem}.`);
        while (replicas.length < count) await addStarted();
        for (const service of replicas.slice(count)) await remove(service);
      }),
    async stop() {
      isStopped = true;
      await Promise.all(replicas.map((service) => service.stop()));
    },
  };
}

function findSingleReason(env: SuperviseOptions['spec']['env']): string | undefined {
  if (env['SQLITE_PATH'] !== undefined) return 'without Redis and Qdrant it keeps its data in a file';
  if (env['PORT'] !== undefined || env['GATEWAY_PORT'] !== undefined) return 'it listens on a port of its own';
  return undefined;
}
