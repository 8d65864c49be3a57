import type { RunSummary } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { StatusBadge } from '../ui/status.tsx';
import { Ago } from '../ui/time.tsx';

export const RunTable = ({ runs }: { runs: readonly RunSummary[] }) => (
  <div className="table-wrap" tabIndex={-1}>
    <table className="table fold">
      <thead>
        <tr>
          <th scope="col">Run</th>
          <th scope="col">Status</th>
          <th scope="col">Agent</th>
          <th scope="col">Thread</th>
          <th scope="col">Subject</th>
          <th scope="col" className="end">
            Submitted
          </th>
        </tr>
      </thead>
      <tbody>
        {runs.map(({ runId, status, agent, threadId, subject, submittedAt }) => (
          <tr key={runId}>
            <td className="name cut">
              <Link to="/runs/$run" params={{ run: runId }} className="mono">
                {runId}
              </Link>
            </td>
            <td>
              <StatusBadge status={status} />
            </td>
            <td>{agent}</td>
            <td className="name cut optional">
              {threadId === undefined ? (
                <span className="muted">none</span>
              ) : (
                <Link to="/threads/$thread" params={{ thread: threadId }}>
                  {threadId}
                </Link>
              )}
            </td>
            <td className="optional">{subject ?? <span className="muted">operator</span>}</td>
            <td className="end muted number">
              <Ago at={submittedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
