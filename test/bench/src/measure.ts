// Rows of the bench, and how programs are run for them.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

/** A guard, in one form, of texts of one kind: at each of several sizes. */
export type SizedCost = {
  form: string;
  shape: string;
  /** µs of processor time a KiB, and whether the guard refused the text. */
  at: readonly { kib: number; us: number; isRefused: boolean }[];
};

export type Row = {
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

/** Processor time that a process has used so far, ms, user and system. 0 for one that is gone, or where there is no /proc. */
export async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS;
}

export function row(name: string, unit: string, value: number, baseline: number, detail: Row['detail'] = {}): Row {
  return { name, unit, value: round(value), baseline: round(baseline), ratio: round(value / baseline), detail };
}

export const round = (value: number): number => Number(value.toPrecision(4));
