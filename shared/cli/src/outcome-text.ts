// How a run ended, in the words of the command: the same for one that was read to its end and for one that is looked up. Pure.
import type { PublicViolation, RunResult } from '@millrace/contracts';
import { oneLine } from './printable.ts';

/** `aborted (blocked by pii): no card numbers`; else the status. */
export function statusText({ status, tripwire }: Pick<RunResult, 'status' | 'tripwire'>): string {
  if (status !== 'aborted') return status;
  const by = tripwire?.processorId === undefined ? 'a processor' : oneLine(tripwire.processorId);
  return `aborted (blocked by ${by}): ${oneLine(tripwire?.reason ?? 'no reason is given', 1_000)}`;
}

/** Callers are told which rule found how much, never what it looks for. */
export function violationText({ processorId, rule, count }: PublicViolation): string {
  const findings = count === 1 ? 'one finding' : `${count} findings`;
  return `[${oneLine(processorId)}] ${findings}${rule === undefined ? '' : ` of ${oneLine(rule)}`}`;
}
