// Starts a Redis and a Qdrant in containers, by the images that docker-compose.yml names. The engine pulls a missing image. No attempt
// lasts longer than its bound: a run on a machine without an engine, an image or a registry uses other servers.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  GenericContainer,
  Wait,
  getContainerRuntimeClient,
  getReaper,
  type ContainerRuntimeClient,
  type StartedTestContainer,
} from 'testcontainers';

/** `source` names the server in messages. */
export type RunServer = { url: string; apiKey?: string; source: string; stop(): Promise<void> };
type Env = Record<string, string | undefined>;
type ImageVariable = 'REDIS_IMAGE' | 'QDRANT_IMAGE';
type Containers = { start(variable: ImageVariable): Promise<RunServer> };

const ENGINE_TIMEOUT_MS = 10_000;
const RYUK_TIMEOUT_MS = 20_000;
/** Includes the pull of an image. */
const START_TIMEOUT_MS = 60_000;
const OWNER_LABEL = 'millrace.tests.owner';
const PORTS = { REDIS_IMAGE: 6_379, QDRANT_IMAGE: 6_333 };

/** @param redisConfig lines of redis.conf @throws if no engine answers */
export async function openContainers(env: Env, redisConfig: string): Promise<Containers> {
  const engine = await limitTime(getContainerRuntimeClient(), ENGINE_TIMEOUT_MS, 'The engine did not answer');
  await removeAbandoned(engine);
  // Ryuk removes the containers of a killed run. Without its image the next run removes them.
  const reaper = limitTime(getReaper(engine), RYUK_TIMEOUT_MS, 'Ryuk did not start');
  await reaper.catch(() => (process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true'));
  return {
    async start(variable) {
      const image = env[variable] ?? readPinnedImage(variable);
      // The port is open to the network of the machine.
      const secret = randomUUID();
      const container =
        variable === 'REDIS_IMAGE' ? describeRedis(image, secret, redisConfig) : describeQdrant(image, secret);
      container.withExposedPorts(PORTS[variable]).withLabels({ [OWNER_LABEL]: `${hostname()}:${process.pid}` });
      const starting = container.withStartupTimeout(START_TIMEOUT_MS).start();
      const started = await limitTime(starting, START_TIMEOUT_MS, `${image} did not start`).catch((error: unknown) => {
        void starting.then((late) => late.stop()).catch(() => undefined);
        throw error;
      });
      return {
        ...describeAddress(started, variable, secret),
        source: `container of ${image}`,
        stop: () => stop(started),
      };
    },
  };
}

function describeRedis(image: string, password: string, config: string): GenericContainer {
  const content = `${config}\nprotected-mode no\nrequirepass ${password}\nsave ""\n`;
  return new GenericContainer(image)
    .withCopyContentToContainer([{ content, target: '/tmp/redis.conf', mode: 0o644 }])
    .withCommand(['redis-server', '/tmp/redis.conf'])
    .withWaitStrategy(Wait.forLogMessage('Ready to accept connections'));
}

function describeQdrant(image: string, apiKey: string): GenericContainer {
  return new GenericContainer(image)
    .withEnvironment({ QDRANT__SERVICE__API_KEY: apiKey })
    .withWaitStrategy(Wait.forHttp('/readyz', PORTS.QDRANT_IMAGE));
}

function describeAddress(container: StartedTestContainer, variable: ImageVariable, secret: string) {
  const host = `${container.getHost()}:${container.getMappedPort(PORTS[variable])}`;
  if (variable === 'REDIS_IMAGE') return { url: `redis://default:${secret}@${host}` };
  return { url: `http://${host}`, apiKey: secret };
}

const stop = async (container: StartedTestContainer): Promise<void> => void (await container.stop());

/** The default that compose has for the variable. */
function readPinnedImage(variable: ImageVariable): string {
  const compose = readFileSync(join(import.meta.dirname, '../../../../docker-compose.yml'), 'utf8');
  const image = new RegExp(String.raw`\$\{${variable}:-([^}]+)\}`).exec(compose)?.[1];
  if (image === undefined) throw new Error(`docker-compose.yml has no default for ${variable}.`);
  return image;
}

/** Removes the containers of runs on this machine whose process has ended. */
async function removeAbandoned({ container }: ContainerRuntimeClient): Promise<void> {
  for (const { Id, Labels } of await container.list()) {
    const [host, pid] = (Labels[OWNER_LABEL] ?? '').split(':');
    if (host !== hostname() || isAlive(Number(pid))) continue;
    await container.getById(Id).remove({ force: true, v: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process of another user exists.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function limitTime<T>(work: Promise<T>, limitMs: number, message: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${message} within ${limitMs} ms.`)), limitMs);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}
