// Rows of the bench, and the start of programs for them.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

/** A guard in one form with texts of one kind, at several sizes. */
export type SizedCost = {
  form: string;
  shape: string;
  /** µs of processor time per KiB, and whether the guard rejected the text. */
  at: readonly { kib: number; us: number; isRefused: boolean }[];
};

export type BenchRow = {
  name: string;
  unit: string;
  value: number;
  baseline: number;
  ratio: number;
  detail: Record<string, number | string>;
  sizes?: readonly SizedCost[];
};

const root = resolve(import.meta.dirname, '../../..');
const PROGRAM_TIMEOUT_MS = 120_000;

/** Runs a program of a service's bench and reads the JSON that it prints. */
export async function runProgram(
  service: string,
  file: string,
  env: Record<string, string>,
): Promise<Record<string, number>> {
  const path = resolve(root, 'services', service, 'bench', file);
  const { stdout } = await promisify(execFile)(process.execPath, [path], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    timeout: PROGRAM_TIMEOUT_MS,
  });
  return JSON.parse(stdout);
}

export const passService = resolve(import.meta.dirname, 'pass-service.ts');

/** Linux accounts processor time in ticks of 10 ms. */
const TICK_MS = 10;

/** Returns the processor time of a process so far, ms, user and system. 0 for an ended process, or without /proc. */
export async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS;
}

export function row(
  name: string,
  unit: string,
  value: number,
  baseline: number,
  detail: BenchRow['detail'] = {},
): BenchRow {
  return { name, unit, value: round(value), baseline: round(baseline), ratio: round(value / baseline), detail };
}

export const round = (value: number): number => Number(value.toPrecision(4));
