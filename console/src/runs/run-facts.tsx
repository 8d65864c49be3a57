import type { RunInspection } from '@millrace/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isOperator, sessionQuery } from '../api/session.ts';
import { isActive, type AnyEvent, type ShownRun } from '../api/runs.ts';
import { formatCount, formatMs, formatSpan } from '../ui/format.ts';
import { Ago } from '../ui/time.tsx';

type FactsProps = { run: ShownRun; inspection: RunInspection | undefined; events: readonly AnyEvent[] };

export function RunFacts({ run: { summary, result, remainingMs }, inspection, events }: FactsProps) {
  const { data: session } = useQuery(sessionQuery);
  const { usage } = result ?? {};
  const facts: [string, ReactNode][] = [];
  const add = (name: string, value: ReactNode) => {
    if (value !== undefined && value !== null) facts.push([name, value]);
  };
  add(
    'Agent',
    summary &&
      (isOperator(session) ? (
        <Link to="/agents/$agent" params={{ agent: summary.agent }}>
          {summary.agent}
        </Link>
      ) : (
        summary.agent
      )),
  );
  add('Submitted', summary && <Ago at={summary.submittedAt} />);
  add('Duration', measureDuration(summary?.submittedAt, events));
  add('Subject', summary && (summary.subject ?? 'operator'));
  add(
    'Thread',
    summary?.threadId && (
      <Link to="/threads/$thread" params={{ thread: summary.threadId }}>
        {summary.threadId}
      </Link>
    ),
  );
  add('Resource', summary?.resourceId);
  add('Tokens', usage?.totalTokens === undefined ? undefined : describeTokens(usage));
  add('Cost', usage?.cost === undefined ? undefined : usage.cost.toPrecision(3));
  add('Guards’ tokens', describeGuardTokens(usage));
  add(
    'Epoch',
    inspection &&
      (inspection.takeovers > 0 ? `${inspection.epoch}, ${inspection.takeovers} takeovers` : inspection.epoch),
  );
  add('Owner', inspection?.owner && `${inspection.owner.id}${inspection.owner.isAnswering ? '' : ', does not answer'}`);
  add('Queued for', inspection?.queuedMs === undefined ? undefined : formatMs(inspection.queuedMs));
  add(
    'Deadline',
    remainingMs === undefined || result ? undefined : remainingMs > 0 ? `in ${formatSpan(remainingMs)}` : 'past',
  );
  add(
    'Repeats',
    summary?.retryOf && (
      <Link to="/runs/$run" params={{ run: summary.retryOf }}>
        {summary.retryOf}
      </Link>
    ),
  );
  return (
    <dl className="facts card card-body">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="number">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

type Usage = NonNullable<ShownRun['result']>['usage'];

function describeTokens({ inputTokens, outputTokens, totalTokens = 0, estimated }: Usage): string {
  const parts =
    inputTokens === undefined || outputTokens === undefined
      ? ''
      : ` (${formatCount(inputTokens)} in, ${formatCount(outputTokens)} out)`;
  return `${estimated ? 'about ' : ''}${formatCount(totalTokens)}${parts}`;
}

function describeGuardTokens(usage: Usage | undefined): string | undefined {
  const sum = (usage?.processors ?? []).reduce(
    (total, { inputTokens, outputTokens }) => total + inputTokens + outputTokens,
    0,
  );
  return sum === 0 ? undefined : formatCount(sum);
}

function measureDuration(submittedAt: string | undefined, events: readonly AnyEvent[]): string | undefined {
  const last = events.at(-1);
  if (submittedAt === undefined || last?.event !== 'run' || isActive(last.status)) return undefined;
  return formatMs(Math.max(0, Date.parse(last.at) - Date.parse(submittedAt)));
}
