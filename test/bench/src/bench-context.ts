// Shared setup of the rows: one server, one stack of services, and services that single rows start.
import type { Stack } from '@millrace/testkit/bench';
import { passService, type BenchRow } from './measure.ts';

export type BenchContext = {
  natsUrl: string;
  natsPid: number;
  /** Set if the machine has Redis. */
  redisUrl?: string | undefined;
  redisPid?: number | undefined;
  /** Folder for the files of a row. */
  dir: string;
  stack: Stack;
};
export type Measure = (context: BenchContext) => Promise<BenchRow>;

/** Starts services of the workspace that do not run yet. */
export async function needServices({ stack }: BenchContext, ...services: string[]): Promise<void> {
  const there = new Set(stack.pids().map(({ service }) => service));
  await Promise.all(services.filter((service) => !there.has(service)).map((service) => stack.start(service)));
}

/** Starts a service of pass-through processors, named like the first of them. */
export async function needPass(
  { stack }: BenchContext,
  names: readonly string[],
  more: Record<string, string> = {},
): Promise<void> {
  const [name = ''] = names;
  if (stack.pids().some(({ service }) => service === name)) return;
  await stack.startProgram(name, passService, { NAMES: names.join(','), LOG_LEVEL: 'warn', ...more });
}

/** Six pass-through processors in three services of two. */
export const SIX = ['a', 'b', 'c'].flatMap((name) => [`pass-${name}`, `pass-${name}2`]);

export async function needSix(context: BenchContext): Promise<void> {
  for (const name of ['a', 'b', 'c']) await needPass(context, [`pass-${name}`, `pass-${name}2`]);
}
