import type { CallActivity } from '@millrace/contracts';
import { describeStage, formatMs } from '../ui/format.ts';

const STATES: Record<CallActivity['state'], string> = {
  asked: 'no reply yet',
  working: 'working',
  absent: 'no replica is running',
  full: 'every replica is full',
  'bus-away': 'connection to NATS lost',
};

/** The calls that the owner of a run has in flight; without its report, that the run is active. */
export function CallsInFlight({
  calls,
  isWaiting,
}: {
  calls: readonly CallActivity[] | undefined;
  isWaiting: boolean;
}) {
  if (calls === undefined || calls.length === 0)
    return (
      <li className="stage" data-tone={isWaiting ? 'wait' : 'run'}>
        <div className="stage-line">
          <span className="stage-title">{isWaiting ? 'Waiting for an answer' : 'Running'}</span>
        </div>
      </li>
    );
  return calls.map(({ kind, stage, names, state, replica, attempt, ageMs }) => (
    <li
      className="stage"
      data-tone={state === 'working' || state === 'asked' ? 'run' : 'wait'}
      key={`${kind} ${names.join()} ${attempt}`}
    >
      <div className="stage-line">
        <span className="stage-title">{stage === undefined ? kind : describeStage(stage)}</span>
        <span className="number muted small push">{formatMs(ageMs)}</span>
      </div>
      <ul className="entries">
        <li className="entry" data-tone="run">
          <span className="cut">{names.join(', ')}</span>
          <span className="small muted entry-note">
            {STATES[state]}
            {attempt > 1 ? `, attempt ${attempt}` : ''}
            {replica === undefined ? '' : `, replica ${replica}`}
          </span>
        </li>
      </ul>
    </li>
  ));
}
