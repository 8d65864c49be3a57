// Runs services in one process: the parent sends commands over IPC, and each service starts and stops as its main.ts would. However the
// parent ends, the services drain and the process ends.
import { openSync, writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { formatStartFailure, startService, type ServiceDefinition } from '@millrace/service';
import type { z } from 'zod';
import type { HostedProgram } from './hosted-program.ts';
import { hostCommandSchema, type HostAnswer, type HostCommand, type HostedStart } from './host-protocol.ts';

type StartedService = { stop: () => Promise<unknown>; url?: string };

/** Time to drain without a parent. The servers may be ending too, so that a drain may never succeed. */
const ORPHAN_GRACE_MS = 3_000;
const STDOUT = 1;

const started = new Map<number, StartedService>();
let former: Promise<unknown> = Promise.resolve();

process.on('message', (message) => void answer(hostCommandSchema.parse(message)));
process.once('disconnect', () => {
  setTimeout(() => process.exit(1), ORPHAN_GRACE_MS).unref();
  void stopAll();
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stopAll());

async function stopAll(): Promise<void> {
  await Promise.allSettled([...started.values()].map(({ stop }) => stop()));
  process.exit(0);
}

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
    const running = started.get(command.of);
    started.delete(command.of);
    await running?.stop();
    return {};
  }
  // One after the other: a starting service would miss the answers of its servers while another one that loads blocks the process.
  const start = former.then(() => startOne(command));
  former = start.catch(() => undefined);
  const running = await start;
  started.set(command.id, running);
  return running.url === undefined ? {} : { url: running.url };
}

async function startOne({ module, env, logFile }: HostedStart): Promise<StartedService> {
  // Stays open: the service may log after its stop, and another file could have got the number.
  const log = logFile === undefined ? STDOUT : openSync(logFile, 'a');
  const writeLine = (line: string): void => void writeSync(log, `${line}\n`);
  let name = module;
  try {
    const exported: object = await import(pathToFileURL(module).href);
    const program = Object.values(exported).find(isProgram);
    const definition = Object.values(exported).find(isDefinition);
    name = program?.name ?? definition?.name ?? module;
    if (program) return await program.run(env, writeLine);
    if (!definition) throw new Error(`${module} exports no definition of a service.`);
    return await startService(definition, env, log);
  } catch (error) {
    writeLine(formatStartFailure(name, error));
    throw error;
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isProgram = (value: unknown): value is HostedProgram => isObject(value) && 'run' in value && 'name' in value;
const isDefinition = (value: unknown): value is ServiceDefinition<z.ZodType<object>> =>
  isObject(value) && 'config' in value && 'start' in value && 'version' in value;

const send = (message: HostAnswer): void => void (process.connected && process.send?.(message));
