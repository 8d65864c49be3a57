// Options of each guard in the bench, from the table of the service. Empty if the defaults already do work.
import type { JsonObject } from '@millrace/contracts';
import { loadGuardCases } from '@millrace/testkit/in-process';

const cases = Object.entries(await loadGuardCases());

export const GUARD_OPTIONS: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  cases.flatMap(([id, { bench }]) => (bench === 'none' ? [] : [[id, bench]])),
);
export const DELTA_OPTIONS: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  cases.flatMap(([id, { deltas }]) => (deltas ? [[id, deltas]] : [])),
);
