// The plan of an agent as a picture made of lists: a run passes it from top to bottom.
import type { AppliedAgent, PlanEntry } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { Database } from 'lucide-react';
import { Fragment } from 'react';
import { describeStage, formatMs, formatPlural } from '../ui/format.ts';
import { Badge } from '../ui/status.tsx';
import { arrangePlan, type Part, type Segment, type StageNode } from './plan-stages.ts';
import './plan.css';

export function PlanView({ applied: { agent, plan } }: { applied: AppliedAgent }) {
  const isAnyOptional = Object.values(plan.entries).some(({ onFailure }) => onFailure === 'skip');
  return (
    <>
      <ol className="plan">
        {arrangePlan(plan).map((part) => (
          <PartView key={part.title} part={part}>
            {part.isCore && <p className="plan-core mono">{formatModels(agent.model)}</p>}
            {part.title === 'Tools' && <Tools names={plan.tools.map(({ name }) => name)} />}
          </PartView>
        ))}
      </ol>
      {isAnyOptional && (
        <p className="plan-legend muted small">
          <span className="plan-entry" data-optional aria-hidden /> If a processor with this border fails, the run
          continues without it.
        </p>
      )}
    </>
  );
}

const formatModels = (model: AppliedAgent['agent']['model']): string =>
  [model]
    .flat()
    .map((candidate) => (typeof candidate === 'string' ? candidate : candidate.use))
    .join(', ');

function PartView({ part: { title, about, stages, isCore }, children }: { part: Part; children: React.ReactNode }) {
  return (
    <li className="plan-part" data-core={isCore}>
      <header>
        <h2>{title}</h2>
        <p className="muted small">{about}</p>
      </header>
      <div className="plan-stages">
        {children}
        {stages.length === 0 && !isCore && title !== 'Tools' && (
          <p className="muted small">No processor judges this part.</p>
        )}
        {stages.map((node) => (
          <StageView key={node.stage} node={node} />
        ))}
      </div>
    </li>
  );
}

const Tools = ({ names }: { names: readonly string[] }) =>
  names.length === 0 ? (
    <p className="muted small">This agent has no tools.</p>
  ) : (
    <p className="row">
      {names.map((name) => (
        <Badge key={name} plain>
          {name}
        </Badge>
      ))}
    </p>
  );

const StageView = ({ node: { stage, segments } }: { node: StageNode }) => (
  <section className="plan-stage" aria-label={describeStage(stage)}>
    <h3>{describeStage(stage)}</h3>
    <ol className="plan-entries">
      {segments.map((segment, at) => (
        <SegmentView key={at} segment={segment} />
      ))}
    </ol>
  </section>
);

function SegmentView({ segment: { overlapsModel, entries } }: { segment: Segment }) {
  if (entries.length === 1 && !overlapsModel)
    return entries.map((entry) => (
      <li key={entry.entry}>
        <EntryCard entry={entry} />
      </li>
    ));
  return (
    <li className="plan-group">
      <span className="muted small">
        {[entries.length > 1 && 'concurrent', overlapsModel && 'with the first model call'].filter(Boolean).join(', ')}
      </span>
      <ul className="plan-entries">
        {entries.map((entry) => (
          <li key={entry.entry}>
            <EntryCard entry={entry} />
          </li>
        ))}
      </ul>
    </li>
  );
}

function EntryCard({
  entry: { entry, processor, service, timeoutMs, attempts, onFailure, observe, when, memory },
}: {
  entry: PlanEntry;
}) {
  const notes = [
    processor === entry ? undefined : processor,
    observe ? 'observes' : undefined,
    when ? `when ${when.context} is ${JSON.stringify(when.equals)}` : undefined,
  ].filter((note) => note !== undefined);
  return (
    <Link
      to="/processors/$processor"
      params={{ processor }}
      className="plan-entry"
      data-optional={onFailure === 'skip' ? true : undefined}
      title={`${service}: timeout ${formatMs(timeoutMs)}, ${formatPlural(attempts, 'attempt')}. On failure the run ${onFailure === 'skip' ? 'continues' : 'stops'}.`}
    >
      {memory && <Database size={13} aria-label="Memory:" />}
      <span>{entry}</span>
      {onFailure === 'skip' && <span className="sr-only">optional</span>}
      {notes.map((note) => (
        <Fragment key={note}>
          {' '}
          <span className="muted small">{note}</span>
        </Fragment>
      ))}
    </Link>
  );
}
