// Runs services of the workspace in one process, for the stacks of a test worker: the worker sends commands over IPC, and each service starts
// and stops as its main.ts would. The process ends when its worker disconnects.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startService, type ServiceDefinition } from '@millrace/service';
import type { z } from 'zod';
import { hostCommandSchema, type HostAnswer, type HostCommand } from './host-protocol.ts';

type Stop = () => Promise<unknown>;
type Started = { stop: Stop; url?: string };

const root = resolve(import.meta.dirname, '../../..');
const started = new Map<number, Stop>();
let former: Promise<unknown> = Promise.resolve();

// Files of an earlier process must not be found.
const folder = mkdtempSync(join(tmpdir(), 'millrace-host-'));
process.chdir(folder);
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

process.on('message', (message) => void answer(hostCommandSchema.parse(message)));
process.once('disconnect', () => process.exit());

async function answer(command: HostCommand): Promise<void> {
  const { id } = command;
  try {
    send({ id, ...(await execute(command)) });
  } catch (error) {
    send({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

async function execute(command: HostCommand): Promise<{ url?: string }> {
  if (command.kind === 'stop') {
    const stop = started.get(command.of);
    started.delete(command.of);
    await stop?.();
    return {};
  }
  // One after the other: a starting service would miss the answers of its servers while another one that loads blocks the process.
  const start = former.then(() => (command.service === 'dev-model' ? startModel(command.env) : startOne(command)));
  former = start.catch(() => undefined);
  const { stop, url } = await start;
  started.set(command.id, stop);
  return url === undefined ? {} : { url };
}

async function startOne({ service, env }: Extract<HostCommand, { kind: 'start' }>): Promise<Started> {
  const exported = Object.values(await importSource(`services/${service}/src/service.ts`));
  const definition = exported.find(isDefinition);
  if (!definition) throw new Error(`services/${service}/src/service.ts exports no definition of a service.`);
  const running = await startService(definition, env);
  return { stop: running.stop };
}

async function startModel({ CONTEXT_WINDOW }: Record<string, string>): Promise<Started> {
  const module = await importSource('services/dev-model/src/start-dev-model.ts');
  if (!isModelModule(module)) throw new Error('services/dev-model exports no startDevModel.');
  const write = (fields: object, msg: string) => writeLine({ service: 'dev-model', ...fields, msg });
  const window = CONTEXT_WINDOW === undefined ? {} : { contextWindow: Number(CONTEXT_WINDOW) };
  const model = await module.startDevModel({ ...window, port: 0, log: { info: write, warn: write, error: write } });
  return { stop: () => model.close(), url: `${model.url}/v1` };
}

type Write = (fields: object, message: string) => void;
type ModelModule = {
  startDevModel(options: {
    port: number;
    contextWindow?: number;
    log: { info: Write; warn: Write; error: Write };
  }): Promise<{ url: string; close(): Promise<void> }>;
};

const isModelModule = (value: object): value is ModelModule =>
  'startDevModel' in value && typeof value.startDevModel === 'function';

const importSource = async (path: string): Promise<object> => await import(pathToFileURL(resolve(root, path)).href);

const isDefinition = (value: unknown): value is ServiceDefinition<z.ZodType<object>> =>
  typeof value === 'object' && value !== null && 'config' in value && 'start' in value && 'version' in value;

const writeLine = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const send = (answer: HostAnswer): void => writeLine({ answer });
