// What rows share: one server, one stack of services, and what is started for the rows that need it.
import type { Stack } from '@millrace/testkit/bench';
import { passService, type Row } from './measure.ts';

export type BenchContext = {
  natsUrl: string;
  natsPid: number;
  /** Where this machine has Redis. */
  redisUrl?: string | undefined;
  redisPid?: number | undefined;
  /** For what a row keeps in files. */
  dir: string;
  stack: Stack;
};
export type Measure = (context: BenchContext) => Promise<Row>;

/** Services of the workspace, started where they are not there yet. */
export async function needServices({ stack }: BenchContext, ...services: string[]): Promise<void> {
  const there = new Set(stack.pids().map(({ service }) => service));
  await Promise.all(services.filter((service) => !there.has(service)).map((service) => stack.start(service)));
}

/** A service of processors that pass everything on, named as the first of them. */
export async function needPass(
  { stack }: BenchContext,
  names: readonly string[],
  more: Record<string, string> = {},
): Promise<void> {
  const [name = ''] = names;
  if (stack.pids().some(({ service }) => service === name)) return;
  await stack.startProgram(name, passService, { NAMES: names.join(','), LOG_LEVEL: 'warn', ...more });
}

/** Six processors that pass everything on, in three services of two. */
export const SIX = ['a', 'b', 'c'].flatMap((name) => [`pass-${name}`, `pass-${name}2`]);

export async function needSix(context: BenchContext): Promise<void> {
  for (const name of ['a', 'b', 'c']) await needPass(context, [`pass-${name}`, `pass-${name}2`]);
}
