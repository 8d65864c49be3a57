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
import { Table, type Column } from '../ui/table.tsx';
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
            <Table columns={listColumns(isOperator(session))} rows={agents} getKey={({ name }) => name} />
          )
        }
      </Loaded>
    </Page>
  );
}

const listColumns = (canOpen: boolean): Column<ListedAgent>[] => [
  {
    title: 'Agent',
    className: 'wide',
    show: ({ name, description }) => (
      <>
        {canOpen ? (
          <Link to="/agents/$agent" params={{ agent: name }} className="strong">
            {name}
          </Link>
        ) : (
          <strong className="strong">{name}</strong>
        )}
        {description !== undefined && <div className="muted small">{description}</div>}
      </>
    ),
  },
  { title: 'Revision', isEnd: true, className: 'number optional', show: ({ revision }) => revision },
  { title: 'Applied', isEnd: true, className: 'muted number', show: ({ appliedAt }) => <Ago at={appliedAt} /> },
  {
    title: 'Chat',
    isSilent: true,
    isEnd: true,
    show: ({ name }) => (
      <Link to="/chat/$agent" params={{ agent: name }} className="button slim">
        Chat
      </Link>
    ),
  },
];

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
