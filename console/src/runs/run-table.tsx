import type { RunSummary } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { StatusBadge } from '../ui/status.tsx';
import { None, Table, type Column } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';

const COLUMNS: readonly Column<RunSummary>[] = [
  {
    title: 'Run',
    className: 'name cut',
    show: ({ runId }) => (
      <Link to="/runs/$run" params={{ run: runId }} className="mono">
        {runId}
      </Link>
    ),
  },
  { title: 'Status', show: ({ status }) => <StatusBadge status={status} /> },
  { title: 'Agent', show: ({ agent }) => agent },
  {
    title: 'Thread',
    className: 'name cut optional',
    show: ({ threadId }) =>
      threadId === undefined ? (
        <None>none</None>
      ) : (
        <Link to="/threads/$thread" params={{ thread: threadId }}>
          {threadId}
        </Link>
      ),
  },
  { title: 'Subject', className: 'optional', show: ({ subject }) => subject ?? <None>operator</None> },
  {
    title: 'Submitted',
    isEnd: true,
    className: 'muted number',
    show: ({ submittedAt }) => <Ago at={submittedAt} />,
  },
];

export const RunTable = ({ runs }: { runs: readonly RunSummary[] }) => (
  <Table columns={COLUMNS} rows={runs} getKey={({ runId }) => runId} />
);
