import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Bot, Plus } from 'lucide-react';
import { useState } from 'react';
import { agentsQuery, type ListedAgent } from '../api/agents.ts';
import { isAdmin, isOperator, sessionQuery } from '../api/session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Empty, Loaded } from '../ui/feedback.tsx';
import { Page } from '../ui/page.tsx';
import { Ago } from '../ui/time.tsx';

export function AgentsPage() {
  const query = useQuery(agentsQuery);
  const { data: session } = useQuery(sessionQuery);
  return (
    <Page
      title="Agents"
      about="A model with its processors, tools and memory. A changed agent applies to runs that start afterwards."
      actions={isAdmin(session) && <NewAgent />}
    >
      <Loaded query={query}>
        {(agents) =>
          agents.length === 0 ? (
            <Empty icon={Bot} title="No agents">
              Apply a definition here, or with <code>millrace agents apply FILE</code>.
            </Empty>
          ) : (
            <AgentTable agents={agents} canOpen={isOperator(session)} />
          )
        }
      </Loaded>
    </Page>
  );
}

const AgentTable = ({ agents, canOpen }: { agents: readonly ListedAgent[]; canOpen: boolean }) => (
  <div className="table-wrap">
    <table className="table fold">
      <thead>
        <tr>
          <th scope="col">Agent</th>
          <th scope="col" className="end">
            Revision
          </th>
          <th scope="col" className="end">
            Applied
          </th>
          <th scope="col" className="end">
            <span className="sr-only">Chat</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {agents.map(({ name, description, revision, appliedAt }) => (
          <tr key={name}>
            <td className="wide">
              {canOpen ? (
                <Link to="/agents/$agent" params={{ agent: name }} className="strong">
                  {name}
                </Link>
              ) : (
                <strong className="strong">{name}</strong>
              )}
              {description !== undefined && <div className="muted small">{description}</div>}
            </td>
            <td className="end number optional">{revision}</td>
            <td className="muted end number">
              <Ago at={appliedAt} />
            </td>
            <td className="end">
              <Link to="/chat/$agent" params={{ agent: name }} className="button slim">
                Chat
              </Link>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

function NewAgent() {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const navigate = useNavigate();
  return (
    <>
      <Button variant="primary" onClick={() => setOpen(true)}>
        <Plus size={15} aria-hidden /> New agent
      </Button>
      <Dialog
        open={isOpen}
        onOpenChange={setOpen}
        title="New agent"
        about="The editor opens with a small definition. Nothing is stored before you apply it."
      >
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void navigate({ to: '/agents/$agent', params: { agent: name }, search: { tab: 'definition' } });
          }}
        >
          <label className="field">
            Name
            <input className="input mono" value={name} onChange={({ target }) => setName(target.value)} />
            <span className="hint">Letters, digits, _ and -</span>
          </label>
          <div className="actions">
            <Button onClick={() => setOpen(false)}>Close</Button>
            <Button type="submit" variant="primary" disabled={!NAME.test(name)}>
              Open the editor
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
