// Starts the local stack with a demo agent: servers and dev-model concurrently, then every service concurrently,
// then the agent; it can be applied once all of its processors are running. No fixed delays.
import { setMaxListeners } from 'node:events';
import type { Resources } from '@millrace/service';
import { startBackingServers, type BackingServers, type StackEnvironment } from './backing-servers.ts';
import { PROXY, pickVariables } from './service-environment.ts';
import { createLocalHost, type LocalHost } from './service-host.ts';
import { locateProviders } from './locate-providers.ts';
import { listServiceSpecs, type HostName } from './service-table.ts';
import { writeKeptPorts } from './kept-ports.ts';
import { chooseGatewayPort, rejectOwnGateway } from './gateway-port.ts';
import { startStandInModel } from './stand-in-model.ts';
import type { StateDir } from './state-dir.ts';
import { startReplicas, type ServiceReplicas } from './replicas.ts';
import type { RestartPolicy } from './restart-policy.ts';

export type LocalStackOptions = {
  checkout: string;
  state: StateDir;
  env: StackEnvironment;
  resources: Resources;
  /** Gives the start up. */
  signal: AbortSignal;
  /** Called when a program is fetched, or a process dies or restarts. */
  report: (line: string) => void;
  restartPolicy?: RestartPolicy;
  /** Gives each service a process of its own. */
  hasProcesses: boolean;
};

export type LocalStack = {
  servers: BackingServers;
  /** Address of dev-model; absent if the environment names a provider. */
  standInUrl?: string;
  gatewayUrl: string;
  services: readonly ServiceReplicas[];
  /** Resolves with the reason once one of them stays down. */
  gaveUp: Promise<string>;
};

export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const { checkout, state, env, resources, signal, report, restartPolicy: policy } = options;
  // Each server, dev-model and the agent add a listener.
  setMaxListeners(0, signal);
  await rejectOwnGateway(env, state.gatewayPort);
  const providers = await locateProviders(env);
  const hosts = options.hasProcesses ? undefined : openHosts(options);
  const [servers, model] = await awaitBoth(startBackingServers(options), provideModel(options, hosts?.processors));
  signal.throwIfAborted();
  const gatewayPort = await chooseGatewayPort(env, state.gatewayPort);
  await writeKeptPorts(state.gatewayPort, { port: gatewayPort }).catch((error: unknown) =>
    report(`the next start of gateway may take another port: ${String(error)}`),
  );
  const specs = listServiceSpecs({
    checkout,
    state,
    env,
    servers,
    model: { ...model.env, ...providers.env },
    gatewayPort,
    providerVariables: providers.variables,
  });
  const services = specs.map((spec) =>
    startReplicas({
      spec,
      logFile: state.log(spec.name),
      report,
      ...(policy && { policy }),
      ...(hosts && spec.host && { startProcess: hosts[spec.host].start }),
    }),
  );
  resources.add('services', async () => void (await Promise.all(services.map((service) => service.stop()))));
  const all = model.standIn ? [...services, model.standIn.service] : services;
  return {
    servers,
    gatewayUrl: `http://127.0.0.1:${gatewayPort}`,
    services: all,
    gaveUp: Promise.race(all.map((service) => service.gaveUp)),
    ...(model.standIn && { standInUrl: model.standIn.url }),
  };
}

type Model = { env: StackEnvironment; standIn?: Awaited<ReturnType<typeof startStandInModel>> };

/** Starts dev-model without a key and a base address: a compatible server of the user may need no key. */
async function provideModel(options: LocalStackOptions, host?: LocalHost): Promise<Model> {
  const { env, resources } = options;
  if (env['OPENAI_API_KEY']) return { env: {} };
  if (env['OPENAI_BASE_URL']) return { env: { OPENAI_API_KEY: 'none' } };
  const standIn = await startStandInModel({ ...options, host }, (stop) => resources.add('dev-model', stop));
  return { env: { OPENAI_API_KEY: 'stand-in', OPENAI_BASE_URL: `${standIn.url}/v1` }, standIn };
}

function openHosts({ env, state, resources }: LocalStackOptions): Record<HostName, LocalHost> {
  const open = (name: HostName) => {
    const host = createLocalHost({
      name,
      env: { ...pickVariables(env, PROXY), NODE_COMPILE_CACHE: state.compileCache },
      logFile: state.log(`host-${name}`),
    });
    resources.add(`host of ${name}`, () => host.stop());
    return host;
  };
  return { runs: open('runs'), processors: open('processors') };
}

/** Waits for both before rethrowing a failure: a resource that is still opening could not be released. */
async function awaitBoth<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return [await a, await b];
}
