// The local stack, from nothing to a demo agent that can be talked to: servers and the stand-in at once, then every service at
// once, then the agent, whose applying is the sign that all of its processors are there. No fixed delays.
//
// What is opened is added to `resources` as it is opened, so that a start that fails half way, or is given up, leaves nothing.
import { setMaxListeners } from 'node:events';
import type { Resources } from '@millrace/service';
import { startBackingServers, type BackingServers, type Environment } from './backing-servers.ts';
import { serviceSpecs } from './service-table.ts';
import { startStandInModel } from './stand-in-model.ts';
import type { StateDir } from './state-dir.ts';
import type { RestartPolicy } from './restart-policy.ts';
import { superviseService, type SupervisedService } from './supervise-service.ts';

export type LocalStackOptions = {
  checkout: string;
  state: StateDir;
  env: Environment;
  resources: Resources;
  /** Gives the start up. */
  signal: AbortSignal;
  /** Told what is fetched, what died and what was started again. */
  report: (line: string) => void;
  restartPolicy?: RestartPolicy;
};

export type LocalStack = {
  servers: BackingServers;
  /** Of the stand-in; absent where the environment names a provider. */
  standInUrl?: string;
  services: readonly SupervisedService[];
  /** Resolves with the reason once one of them stays down. */
  gaveUp: Promise<string>;
};

export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const { checkout, state, env, resources, signal, report, restartPolicy: policy } = options;
  // Each server, the stand-in and the agent wait on it.
  setMaxListeners(0, signal);
  const [servers, model] = await both(startBackingServers(options), provideModel(options));
  signal.throwIfAborted();
  const services = serviceSpecs({ checkout, state, env, servers, model: model.env }).map((spec) =>
    superviseService({ spec, logFile: state.log(spec.name), report, ...(policy && { policy }) }),
  );
  resources.add('services', async () => void (await Promise.all(services.map((service) => service.stop()))));
  const all = model.standIn ? [...services, model.standIn.service] : services;
  return {
    servers,
    services: all,
    gaveUp: Promise.race(all.map((service) => service.gaveUp)),
    ...(model.standIn && { standInUrl: model.standIn.url }),
  };
}

type Model = { env: Environment; standIn?: Awaited<ReturnType<typeof startStandInModel>> };

/** The stand-in, where neither a key nor another base address is given: an own compatible server may need no key. */
async function provideModel(options: LocalStackOptions): Promise<Model> {
  const { env, resources } = options;
  if (env['OPENAI_API_KEY']) return { env: {} };
  if (env['OPENAI_BASE_URL']) return { env: { OPENAI_API_KEY: 'none' } };
  const standIn = await startStandInModel(options, (stop) => resources.add('dev-model', stop));
  return { env: { OPENAI_API_KEY: 'stand-in', OPENAI_BASE_URL: `${standIn.url}/v1` }, standIn };
}

/** Both have come to an end before either's failure is passed on: what is still opening could not be released. */
async function both<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return [await a, await b];
}
