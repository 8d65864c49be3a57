import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Scope } from '@millrace/contracts';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { createKey, type CreatedKey } from '../api/keys.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/feedback.tsx';

const SCOPES: readonly { scope: Scope; about: string }[] = [
  { scope: 'run', about: 'start and cancel runs' },
  { scope: 'read', about: 'read its runs and threads' },
  { scope: 'answer', about: 'answer questions' },
  { scope: 'act-as', about: 'act for other subjects' },
  { scope: 'operate', about: 'decide and read as an operator' },
  { scope: 'admin', about: 'apply agents, create keys' },
];

export function NewKey() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="primary" onClick={() => setOpen(true)}>
        <Plus size={15} aria-hidden /> New key
      </Button>
      <Dialog open={isOpen} onOpenChange={setOpen} title="New key">
        {isOpen && <KeyForm onClose={() => setOpen(false)} />}
      </Dialog>
    </>
  );
}

function KeyForm({ onClose }: { onClose(): void }) {
  const client = useQueryClient();
  const [subject, setSubject] = useState('');
  const [label, setLabel] = useState('');
  const [agents, setAgents] = useState('');
  const [days, setDays] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[]>(['run', 'read', 'answer']);
  const creating = useMutation({
    mutationFn: () =>
      createKey({
        scopes: [...scopes],
        ...(subject.trim() !== '' && { subject: subject.trim() }),
        ...(label.trim() !== '' && { label: label.trim() }),
        ...(readNames(agents).length > 0 && { agents: readNames(agents) }),
        ...(days !== '' && { expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['keys'] }),
  });
  if (creating.data) return <Created created={creating.data} onClose={onClose} />;
  const toggle = (scope: Scope) =>
    setScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope]);
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        creating.mutate();
      }}
    >
      <label className="field">
        Subject
        <input
          className="input"
          value={subject}
          onChange={({ target }) => setSubject(target.value)}
          placeholder="ada"
        />
        <span className="hint">The user or program that the key stands for. Empty: an operator.</span>
      </label>
      <label className="field">
        Label
        <input className="input" value={label} maxLength={100} onChange={({ target }) => setLabel(target.value)} />
      </label>
      <KeyLimits agents={agents} onAgents={setAgents} days={days} onDays={setDays} />
      <fieldset className="scopes">
        <legend>Scopes</legend>
        {SCOPES.map(({ scope, about }) => (
          <label key={scope}>
            <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} />
            <span>
              {scope} <span className="muted small">{about}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {creating.error && <ErrorNotice error={creating.error} />}
      <div className="actions">
        <Button onClick={onClose}>Close</Button>
        <Button type="submit" variant="primary" disabled={scopes.length === 0 || creating.isPending}>
          Create
        </Button>
      </div>
    </form>
  );
}

type LimitsProps = { agents: string; onAgents(text: string): void; days: string; onDays(text: string): void };

const KeyLimits = ({ agents, onAgents, days, onDays }: LimitsProps) => (
  <div className="key-limits">
    <label className="field">
      Agents
      <input
        className="input"
        value={agents}
        onChange={({ target }) => onAgents(target.value)}
        placeholder="all"
        title="Names of the agents that the key may use, separated by commas"
      />
    </label>
    <label className="field">
      Expires after days
      <input
        className="input"
        type="number"
        min={1}
        max={3_650}
        value={days}
        onChange={({ target }) => onDays(target.value)}
        placeholder="never"
      />
    </label>
  </div>
);

const DAY_MS = 24 * 3_600_000;

const readNames = (text: string): string[] => text.split(/[\s,]+/).filter((name) => name !== '');

const Created = ({ created: { key }, onClose }: { created: CreatedKey; onClose(): void }) => (
  <div className="stack" role="status">
    <p>Copy the key now. No page shows it again.</p>
    <div className="created">
      <code>{key}</code>
      <CopyButton text={key} label="Copy the key" />
    </div>
    <div className="actions">
      <Button variant="primary" onClick={onClose}>
        Done
      </Button>
    </div>
  </div>
);
