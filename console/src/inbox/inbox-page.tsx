// Every run that waits: approvals and questions, decided in place.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Suspension } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import { useState } from 'react';
import { releaseRun, settlePending, suspendedQuery, type Settlement } from '../api/operations.ts';
import { PendingCard } from '../chat/pending-card.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Empty, Loaded } from '../ui/feedback.tsx';
import { Page } from '../ui/page.tsx';
import { Ago } from '../ui/time.tsx';
import '../styles/chat.css';
import '../styles/inbox.css';

export function InboxPage() {
  const query = useQuery(suspendedQuery);
  const [done, setDone] = useState('');
  return (
    <Page
      title="Waiting runs"
      about="Runs that wait for an approval or an answer. A decision continues the run at once, on any orchestrator."
    >
      <p role="status" className="sr-only">
        {done}
      </p>
      <Loaded query={query}>
        {(suspended) =>
          suspended.length === 0 ? (
            <Empty icon={Inbox} title="No run waits">
              A run appears here when a processor asks for an approval, or a tool asks a question.
            </Empty>
          ) : (
            <ul className="inbox">
              {suspended.map((one) => (
                <SuspendedRun key={one.runId} suspension={one} onDone={setDone} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Page>
  );
}

function SuspendedRun({
  suspension: { runId, agent, suspendedAt, pending },
  onDone,
}: {
  suspension: Suspension;
  onDone(text: string): void;
}) {
  const client = useQueryClient();
  const refresh = async (text: string) => {
    onDone(text);
    await client.invalidateQueries({ queryKey: ['suspended'] });
    await client.invalidateQueries({ queryKey: ['run', runId] });
  };
  const settle = async (token: string, settlement: Settlement) => {
    await settlePending('resume', runId, token, settlement);
    await refresh(`The run ${runId} continues.`);
  };
  return (
    <li className="card">
      <header className="card-head">
        <h2>{agent}</h2>
        <Link to="/runs/$run" params={{ run: runId }} className="mono cut">
          {runId}
        </Link>
        <span className="muted small push">
          waits since <Ago at={suspendedAt} />
        </span>
        <Confirm
          title="Release this run?"
          about="The run ends as released, without an answer. Its text so far remains in the result."
          action="Release the run"
          run={async () => {
            await releaseRun(runId);
            await refresh(`The run ${runId} is released.`);
          }}
          variant="quiet"
          slim
        >
          Release
        </Confirm>
      </header>
      {pending.map((item) => (
        <PendingCard
          key={item.id}
          item={item}
          isOperator
          onSettle={(settlement) => settle(item.resumeToken, settlement)}
        />
      ))}
    </li>
  );
}
