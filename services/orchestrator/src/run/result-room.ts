// Keeps the result of a run within one message while the run is in progress: a tool result that would exceed it is replaced by an error that the model
// reads. Without that the run would fail when all of its calls are paid.
import type { PlacedResult } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';
import { computeMaxEndBytes } from '../head/packed-end.ts';

/** A tool result is in the messages and in the steps of the result. */
const TIMES_STORED = 2;
/** The part of the result that tool results may take; the rest is for the answers of the model. */
const PART_OF_RESULTS = 7 / 8;

/** Call it when the result is added to the state: results of other calls may have been added while this call was under way. */
export function fitResult(run: Run, placed: PlacedResult): PlacedResult {
  const limit = computeMaxEndBytes(run.deps.access.bus.readMaxPayload()) * PART_OF_RESULTS;
  const { steps, open } = run.getState();
  const used = [...steps, ...(open?.results ?? [])].reduce((sum, one) => sum + countBytes(one), 0);
  const left = Math.max(Math.floor(limit / TIMES_STORED - used), 0);
  const own = countBytes(placed);
  if (own <= left) return placed;
  const message = `${placed.toolName} has run, but its result of ${own} bytes exceeds the ${left} bytes that are left in the result of the run.`;
  const remedy = 'Ask for less, or answer with the results so far.';
  return { ...placed, result: { error: { code: 'message-too-large', message, remedy } }, isError: true };
}

/** Steps and results never change: each is measured once. */
const measured = new WeakMap<object, number>();

function countBytes(value: object): number {
  const known = measured.get(value);
  if (known !== undefined) return known;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  measured.set(value, bytes);
  return bytes;
}
