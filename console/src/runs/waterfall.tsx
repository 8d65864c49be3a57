// The stages, model and tool calls of a run on a common axis of time, with a line for each processor.
import type { OwnerReport } from '@millrace/contracts';
import { Waypoints } from 'lucide-react';
import { useMemo } from 'react';
import type { AnyEvent } from '../api/runs.ts';
import { Empty, Loading } from '../ui/feedback.tsx';
import { formatMs } from '../ui/format.ts';
import { buildRows, describeVerdict, measureSpan, type EntryRow, type EventRow } from './event-rows.ts';
import { CallsInFlight } from './calls-in-flight.tsx';
import './timeline.css';
import './waterfall.css';

type WaterfallProps = {
  events: readonly AnyEvent[] | undefined;
  submittedAt: string | undefined;
  report: OwnerReport | undefined;
  isLive: boolean;
};

export function Waterfall({ events, submittedAt, report, isLive }: WaterfallProps) {
  const from = submittedAt === undefined ? undefined : Date.parse(submittedAt);
  const rows = useMemo(() => buildRows(events ?? [], from), [events, from]);
  if (events === undefined) return <Loading />;
  if (rows.length === 0 && !isLive)
    return (
      <Empty icon={Waypoints} title="No events are stored">
        The run has passed no stage, or its events have expired.
      </Empty>
    );
  const span = measureSpan(rows);
  return (
    <div className="card waterfall" tabIndex={0} role="region" aria-label="Waterfall of the run">
      {rows.length > 0 && (
        <div className="fall-row small muted number" aria-hidden>
          <span />
          <div className="fall-axis">
            <span>0</span>
            <span>{formatMs(span / 2)}</span>
            <span>{formatMs(span)}</span>
          </div>
        </div>
      )}
      {rows.map((row) => (
        <StageRows key={row.key} row={row} span={span} />
      ))}
      {isLive && (
        <ol className="timeline">
          <CallsInFlight calls={report?.calls} isWaiting={rows.at(-1)?.verdict === 'suspended'} />
        </ol>
      )}
    </div>
  );
}

function StageRows({ row, span }: { row: EventRow; span: number }) {
  const { kind, title, detail, verdict, tone, startMs, ms, entries } = row;
  return (
    <div className="fall-group">
      <div className="fall-row" data-kind={kind}>
        <div className="fall-name">
          <span className="stage-title">{title}</span> <span className="muted cut">{detail}</span>
        </div>
        <Bar startMs={startMs} ms={ms} span={span} kind={kind} tone={tone} />
        <span className="number small fall-ms">{ms > 0 ? formatMs(ms) : ''}</span>
        {entries.length === 0 && verdict !== undefined && (
          <span className="small fall-note" data-tone={tone}>
            {verdict}
          </span>
        )}
      </div>
      {entries.map((entry) => (
        <EntryLine key={entry.key} entry={entry} span={span} />
      ))}
    </div>
  );
}

/** Enough to tell replicas apart. */
const REPLICA_CHARS = 6;

function EntryLine({ entry, span }: { entry: EntryRow; span: number }) {
  const { name, processor, verdict, tone, startMs, ms, isSkipped, replica } = entry;
  const note = describeEntry(entry);
  return (
    <div className="fall-row entry-row">
      <div className="fall-name">
        <span className="cut">{name}</span>{' '}
        {processor !== undefined && <span className="muted small cut">{processor}</span>}
      </div>
      <Bar startMs={startMs} ms={ms} span={span} kind="entry" tone={tone} />
      <span className="number small fall-ms muted">{formatMs(ms)}</span>
      <span className="small fall-note">
        <span data-tone={tone} className="fall-verdict">
          {isSkipped ? 'Skipped' : describeVerdict(verdict)}
        </span>
        {note !== '' && <span className="muted"> {note}</span>}
        {replica !== undefined && (
          <span className="muted" title={`Replica ${replica}`}>
            {' '}
            on {replica.slice(0, REPLICA_CHARS)}
          </span>
        )}
      </span>
    </div>
  );
}

function describeEntry({ reason, findings, attempts, isObserved, tokens }: EntryRow): string {
  return [
    reason,
    ...findings,
    attempts > 1 ? `${attempts} attempts` : undefined,
    isObserved ? 'observed' : undefined,
    tokens === undefined ? undefined : `${tokens} tokens`,
  ]
    .filter((part) => part !== undefined && part !== '')
    .join(' · ');
}

type BarProps = { startMs: number; ms: number; span: number; kind: string; tone: string };

const Bar = ({ startMs, ms, span, kind, tone }: BarProps) => (
  <div className="fall-track" aria-hidden>
    <div
      className="fall-bar"
      data-kind={kind}
      data-tone={tone}
      style={{ left: `${Math.min(99, (startMs / span) * 100)}%`, width: `${Math.max(0.4, (ms / span) * 100)}%` }}
    />
  </div>
);
