import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ShownKey } from '@millrace/contracts';
import { KeyRound } from 'lucide-react';
import { keysQuery, revokeKey } from '../api/keys.ts';
import { sessionQuery } from '../api/session.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Empty, Loaded } from '../ui/feedback.tsx';
import { Page } from '../ui/page.tsx';
import { Badge } from '../ui/status.tsx';
import { Ago } from '../ui/time.tsx';
import { NewKey } from './new-key.tsx';
import './keys.css';

export function KeysPage() {
  const query = useQuery(keysQuery);
  return (
    <Page
      title="Keys"
      about="Credentials of the gateway and of the bus. A key is shown once, when it is created."
      actions={<NewKey />}
    >
      <Loaded query={query}>
        {(keys) => (keys.length === 0 ? <Empty icon={KeyRound} title="No keys" /> : <KeyTable keys={keys} />)}
      </Loaded>
    </Page>
  );
}

function KeyTable({ keys }: { keys: readonly ShownKey[] }) {
  const { data: session } = useQuery(sessionQuery);
  return (
    <div className="table-wrap">
      <table className="table fold">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Subject</th>
            <th scope="col">Scopes</th>
            <th scope="col">Limits</th>
            <th scope="col" className="end">
              Created
            </th>
            <th scope="col" className="end">
              <span className="sr-only">Revoke</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <KeyRow key={key.id} shown={key} isOwn={session?.keyId === key.id} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function KeyRow({
  shown: { id, label, subject, scopes, agents, limits, expiresAt, createdAt },
  isOwn,
}: {
  shown: ShownKey;
  isOwn: boolean;
}) {
  return (
    <tr>
      <td>
        <span className="mono">{id}</span> {isOwn && <Badge plain>this session</Badge>}
        {label !== undefined && <div className="muted small">{label}</div>}
      </td>
      <td>{subject ?? <span className="muted">operator</span>}</td>
      <td className="wide">
        <span className="small">{scopes.join(', ')}</span>
        {agents && <div className="muted small">agents: {agents.join(', ')}</div>}
      </td>
      <td className="small optional">
        {describeLimits(limits)}
        {expiresAt !== undefined && (
          <div>
            expires <Ago at={expiresAt} />
          </div>
        )}
      </td>
      <td className="end muted number optional">
        <Ago at={createdAt} />
      </td>
      <td className="end">
        <Revoke id={id} isOwn={isOwn} />
      </td>
    </tr>
  );
}

function describeLimits(limits: ShownKey['limits']): string {
  if (!limits) return '';
  const { requestsPerMinute, streams, tokensPerDay } = limits;
  return [
    requestsPerMinute === undefined ? '' : `${requestsPerMinute} requests a minute`,
    streams === undefined ? '' : `${streams} streams`,
    tokensPerDay === undefined ? '' : `${tokensPerDay} tokens a day`,
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
