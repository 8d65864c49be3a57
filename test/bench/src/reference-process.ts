// The reference: one process of another framework with the same load on the same model. Its packages are outside of
// this workspace; the rows that need them install them.
import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { BenchContext } from './bench-context.ts';
import type { RunDelivery } from './load.ts';

const dir = resolve(import.meta.dirname, '../../reference');
const INSTALL_TIMEOUT_MS = 600_000;
const RUN_TIMEOUT_MS = 300_000;

export type ReferenceUse = { id: string; options?: Record<string, unknown> };
export type ReferenceRequest = {
  setup: string;
  /** Our guards in its process, for a setup that it does not have. */
  guards?: { input: readonly ReferenceUse[]; output: readonly ReferenceUse[] };
  input: string;
  text: string;
  atOnce: number;
  total: number;
  /** Whether its model receives the provider's stream with the pieces of one read merged. */
  merges?: boolean;
};
export type Figures = RunDelivery & { seconds: number; cpuMs: number };
export type Reference = { run(request: ReferenceRequest): Promise<Figures>; stop(): void };

async function install(): Promise<void> {
  if (existsSync(join(dir, 'node_modules'))) return;
  process.stderr.write('installing the reference (some 200 MB)\n');
  const args = ['ci', '--no-audit', '--no-fund'];
  await promisify(execFile)('npm', args, { cwd: dir, timeout: INSTALL_TIMEOUT_MS });
}

let started = 0;

export async function startReference({ stack, dir: files }: BenchContext): Promise<Reference> {
  await install();
  const env = {
    PATH: process.env['PATH'] ?? '',
    MODEL_URL: stack.modelUrl,
    DATABASE: join(files, `reference-${started++}.db`),
  };
  const child = fork(join(dir, 'serve-runs.mjs'), { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return { run: (asked) => askProcess(child, asked), stop: () => void child.kill() };
}

/** Sends one load to a forked process and returns its figures. @throws if a conversation failed, or the process ended */
export async function askProcess(child: ChildProcess, asked: object): Promise<Figures> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(RUN_TIMEOUT_MS)]);
  const exited = once(child, 'exit', { signal }).then(() => ({ error: 'its process ended' }));
  const answered = once(child, 'message', { signal }).then(([figures]): Figures | { error: string } => figures);
  child.send(asked);
  try {
    const figures = await Promise.race([answered, exited]);
    if ('error' in figures) throw new Error(`the compared process failed: ${figures.error}`);
    return figures;
  } finally {
    over.abort();
    await Promise.allSettled([exited, answered]);
  }
}
