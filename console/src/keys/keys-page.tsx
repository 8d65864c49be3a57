import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ShownKey } from '@millrace/contracts';
import { KeyRound } from 'lucide-react';
import { keysQuery, revokeKey } from '../api/keys.ts';
import { sessionQuery } from '../api/session.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Empty, Loaded } from '../ui/feedback.tsx';
import { Page } from '../ui/page.tsx';
import { Badge } from '../ui/status.tsx';
import { None, Table, type Column } from '../ui/table.tsx';
import { Ago } from '../ui/time.tsx';
import { NewKey } from './new-key.tsx';
import './keys.css';

export function KeysPage() {
  const query = useQuery(keysQuery);
  const { data: session } = useQuery(sessionQuery);
  return (
    <Page
      title="Keys"
      about="Credentials of the gateway and of the bus. A key is shown once, when it is created."
      actions={<NewKey />}
    >
      <Loaded query={query}>
        {(keys) =>
          keys.length === 0 ? (
            <Empty icon={KeyRound} title="No keys" />
          ) : (
            <Table columns={listColumns(session?.keyId)} rows={keys} getKey={({ id }) => id} />
          )
        }
      </Loaded>
    </Page>
  );
}

const listColumns = (ownId: string | undefined): Column<ShownKey>[] => [
  {
    title: 'Key',
    show: ({ id, label }) => (
      <>
        <span className="mono">{id}</span> {id === ownId && <Badge plain>this session</Badge>}
        {label !== undefined && <div className="muted small">{label}</div>}
      </>
    ),
  },
  { title: 'Subject', show: ({ subject }) => subject ?? <None>operator</None> },
  {
    title: 'Scopes',
    className: 'wide',
    show: ({ scopes, agents }) => (
      <>
        <span className="small">{scopes.join(', ')}</span>
        {agents && <div className="muted small">agents: {agents.join(', ')}</div>}
      </>
    ),
  },
  {
    title: 'Limits',
    className: 'small optional',
    show: ({ limits, expiresAt }) => (
      <>
        {describeLimits(limits)}
        {expiresAt !== undefined && (
          <div>
            expires <Ago at={expiresAt} />
          </div>
        )}
      </>
    ),
  },
  {
    title: 'Created',
    isEnd: true,
    className: 'muted number optional',
    show: ({ createdAt }) => <Ago at={createdAt} />,
  },
  { title: 'Revoke', isSilent: true, isEnd: true, show: ({ id }) => <Revoke id={id} isOwn={id === ownId} /> },
];

function describeLimits(limits: ShownKey['limits']): string {
  if (!limits) return '';
  const { requestsPerMinute, streams, tokensPerDay, costPerDay, costPerMonth } = limits;
  return [
    requestsPerMinute === undefined ? '' : `${requestsPerMinute} requests a minute`,
    streams === undefined ? '' : `${streams} streams`,
    tokensPerDay === undefined ? '' : `${tokensPerDay} tokens a day`,
    costPerDay === undefined ? '' : `a cost of ${costPerDay} a day`,
    costPerMonth === undefined ? '' : `a cost of ${costPerMonth} a month`,
  ]
    .filter(Boolean)
    .join(', ');
}

function Revoke({ id, isOwn }: { id: string; isOwn: boolean }) {
  const client = useQueryClient();
  const revoke = async () => {
    await revokeKey(id);
    await client.invalidateQueries({ queryKey: ['keys'] });
  };
  return (
    <Confirm
      title={`Revoke ${id}?`}
      about={
        isOwn
          ? 'This session uses the key: it ends at once.'
          : 'Requests with the key are refused at once, and its open streams end.'
      }
      action="Revoke the key"
      run={revoke}
      slim
    >
      Revoke
    </Confirm>
  );
}
