// Formats the calls that a run has under way as text, for `runs show` and for the notices of `run`.
import type { CallActivity, RunInspection } from '@millrace/contracts';
import { toOneLine, makePrintable, formatTable } from '../command/printable.ts';

const STATES: Record<CallActivity['state'], string> = {
  asked: 'no reply yet',
  working: 'working',
  absent: 'no replica is running',
  full: 'every replica is full',
  'bus-away': 'connection to NATS lost',
};

const formatSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** Formats one line about a call without an answer. */
export function formatWaiting({ names, service, state, ageMs }: CallActivity): string {
  const by = service ? ` of ${toOneLine(service)}` : '';
  return `${toOneLine(names.join(', '))}${by}: ${STATES[state]} (${formatSeconds(ageMs)})`;
}

export function formatInspection(inspection: RunInspection): string {
  const { epoch, takeovers, records, queuedMs, owner, report, saves } = inspection;
  const lines = [
    `epoch: ${epoch}, ${takeovers} takeovers, ${records} checkpoint records`,
    ...(queuedMs === undefined ? [] : [`queued for: ${formatSeconds(queuedMs)}`]),
    ...(owner ? [`owner: ${owner.id}${owner.isAnswering ? '' : ', does not answer'}`] : []),
    ...(report ? formatReport(report) : []),
    ...saves.map(
      ({ entries, tries, code }) => `deferred save: ${entries.join(', ')}, ${tries} tries, last error ${code}`,
    ),
  ];
  return makePrintable(lines.join('\n'));
}

function formatReport({ doing, step, remainingMs, calls, buffered }: NonNullable<RunInspection['report']>): string[] {
  const left = remainingMs > 0 ? `${formatSeconds(remainingMs)} until the deadline` : 'past the deadline';
  const now = `now: ${doing}, step ${step}, ${left}, ${buffered.chunks} chunks buffered`;
  if (calls.length === 0) return [now, 'calls under way: none'];
  const rows = calls.map(({ kind, stage, names, service = '', replica = '', attempt, state, ageMs, silentMs }) => [
    stage ?? kind,
    names.join(', '),
    service,
    replica,
    String(attempt),
    STATES[state],
    formatSeconds(ageMs),
    formatSeconds(silentMs),
  ]);
  return [now, formatTable(['CALL', 'NAME', 'SERVICE', 'REPLICA', 'ATTEMPT', 'STATE', 'AGE', 'SILENT'], rows)];
}
