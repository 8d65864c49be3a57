// The stages of a run beside its chat, live: the passed stages, the verdict of each processor, and the calls in flight.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Waypoints } from 'lucide-react';
import { useMemo } from 'react';
import { buildEventsQuery, inspectQuery } from '../api/runs.ts';
import { isOperator, sessionQuery } from '../api/session.ts';
import { buildRows, describeVerdict, type EntryRow, type EventRow } from '../runs/event-rows.ts';
import { CallsInFlight } from '../runs/calls-in-flight.tsx';
import { formatMs } from '../ui/format.ts';
import { Empty, ErrorNotice } from '../ui/feedback.tsx';
import '../runs/timeline.css';

export function StageTimeline({ runId, isLive }: { runId: string | undefined; isLive: boolean }) {
  return (
    <>
      <header className="stages-head">
        <h2>Stages</h2>
        {runId !== undefined && (
          <Link to="/runs/$run" params={{ run: runId }} className="small">
            Open the run
          </Link>
        )}
      </header>
      {runId === undefined ? (
        <Empty icon={Waypoints} title="No run yet">
          Each stage of a run appears here with the verdict of every processor.
        </Empty>
      ) : (
        <Stages runId={runId} isLive={isLive} />
      )}
    </>
  );
}

function Stages({ runId, isLive }: { runId: string; isLive: boolean }) {
  const { data: session } = useQuery(sessionQuery);
  const isDetailed = isOperator(session);
  const { data: events, error } = useQuery({
    ...buildEventsQuery(runId, isDetailed, isLive),
    staleTime: isLive ? 0 : 2_000,
  });
  const { data: inspection } = useQuery(inspectQuery(runId, isLive && isDetailed));
  const rows = useMemo(() => buildRows(events ?? []), [events]);
  if (error) return <ErrorNotice error={error} />;
  return (
    <ol className="timeline">
      {rows.map((row) => (
        <StageRow key={row.key} row={row} />
      ))}
      {isLive && <CallsInFlight calls={inspection?.report?.calls} isWaiting={rows.at(-1)?.verdict === 'suspended'} />}
    </ol>
  );
}

const StageRow = ({ row: { title, detail, tone, ms, kind, verdict, entries } }: { row: EventRow }) => (
  <li className="stage" data-tone={tone} data-kind={kind}>
    <div className="stage-line">
      <span className="stage-title">{title}</span>
      {kind === 'run' ? (
        <span className="muted small">{verdict}</span>
      ) : (
        <span className="muted small cut">{detail}</span>
      )}
      {ms > 0 && <span className="number muted small push">{formatMs(ms)}</span>}
    </div>
    {entries.length > 0 && (
      <ul className="entries">
        {entries.map((entry) => (
          <EntryLine key={entry.key} entry={entry} />
        ))}
      </ul>
    )}
  </li>
);

function EntryLine({ entry: { name, verdict, tone, ms, reason, findings, isSkipped } }: { entry: EntryRow }) {
  return (
    <li className="entry" data-tone={tone}>
      <span className="cut">{name}</span>
      {verdict !== 'continue' && (
        <span className="small entry-verdict">{isSkipped ? 'Skipped' : describeVerdict(verdict)}</span>
      )}
      <span className="number muted small push">{formatMs(ms)}</span>
      {reason !== undefined && <span className="small muted entry-note">{reason}</span>}
      {findings.length > 0 && <span className="small muted entry-note">{findings.join(', ')}</span>}
    </li>
  );
}
