// The changes of each processor in a run, if its agent records them: the text before and after, with masks.
import type { ChangedSegment, RunChange } from '@millrace/contracts';
import { FileDiff } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { buildChangesQuery } from '../api/runs.ts';
import { Empty, Loaded } from '../ui/feedback.tsx';
import { describeStage, formatPlural } from '../ui/format.ts';
import { Badge } from '../ui/status.tsx';
import { describeVerdict } from './event-rows.ts';
import './changes.css';

export function ChangesView({ runId }: { runId: string }) {
  const query = useQuery(buildChangesQuery(runId));
  return (
    <Loaded query={query}>
      {({ changes, omitted, lost }) =>
        changes.length === 0 ? (
          <Empty icon={FileDiff} title="No changes are recorded">
            An agent with <code>record: changes</code> records what its processors change, for 24 hours. A run stores
            its changes when it ends.
          </Empty>
        ) : (
          <div className="stack">
            <p className="muted small">A mask replaces text that the result of the run does not have.</p>
            <ol className="changes">
              {changes.map((change, at) => (
                <Change key={at} change={change} />
              ))}
            </ol>
            {lost > 0 && (
              <p className="muted small">
                The changes of {formatPlural(lost, 'earlier owner', 'earlier owners')} of the run are lost.
              </p>
            )}
            {omitted > 0 && (
              <p className="muted small">
                {formatPlural(omitted, 'further change is', 'further changes are')} above the bounds of a run.
              </p>
            )}
          </div>
        )
      }
    </Loaded>
  );
}

function Change({ change }: { change: RunChange }) {
  const { stage, entry, verdict, part, before, after, violations } = change;
  const rules = violations.map(
    ({ processorId, rule, count }) => `${rule ?? processorId}${count > 1 ? ` × ${count}` : ''}`,
  );
  return (
    <li className="card">
      <header className="card-head">
        <h2>{entry ?? 'All entries of the stream'}</h2>
        <span className="muted small">
          {describeStage(stage)}
          {part && `, ${PART_NAMES[part]}`}
        </span>
        <span className="push row">
          {rules.length > 0 && <span className="muted small">{rules.join(', ')}</span>}
          <Badge tone={verdict === 'continue' ? 'wait' : 'bad'}>
            {verdict === 'continue' ? 'Changed' : describeVerdict(verdict)}
          </Badge>
        </span>
      </header>
      {(before || after) && (
        <div className="change-texts">
          <Side title="Before" segments={before} />
          <Side title="After" segments={after} />
        </div>
      )}
    </li>
  );
}

const Side = ({ title, segments = [] }: { title: string; segments: readonly ChangedSegment[] | undefined }) => (
  <div>
    <h3 className="muted small">{title}</h3>
    <p>
      {segments.map((segment, at) =>
        'text' in segment ? (
          <span key={at}>{segment.text}</span>
        ) : (
          <mark key={at} className="mask" title={`${segment.masked} characters are masked`}>
            {'•'.repeat(Math.min(MAX_DOTS, Math.max(1, segment.masked)))}
          </mark>
        ),
      )}
    </p>
  </div>
);

const PART_NAMES: Record<NonNullable<RunChange['part']>, string> = {
  message: 'message',
  arguments: 'arguments of a call',
  result: 'result of a call',
  system: 'system messages',
  recalled: 'recalled messages',
  context: 'inserted messages',
  prompt: 'prompt',
};

/** A long mask would fill the page. */
const MAX_DOTS = 16;
