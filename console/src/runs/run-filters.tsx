import { useQuery } from '@tanstack/react-query';
import { useState, type InputHTMLAttributes } from 'react';
import { agentsQuery } from '../api/agents.ts';
import { describeStatus, RUN_STATUSES } from '../ui/status.tsx';
import type { RunSearch } from './run-search.ts';

type FilterProps = { search: RunSearch; onChange(search: RunSearch): void };
type FilterName = Exclude<keyof RunSearch, 'after'>;

export function RunFilters({ search, onChange }: FilterProps) {
  const { data: agents = [] } = useQuery(agentsQuery);
  const set = (name: FilterName, value: string) => {
    const { after: _after, [name]: _previous, ...rest } = search;
    onChange(value === '' ? rest : { ...rest, [name]: value });
  };
  return (
    <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <label className="field">
        Status
        <select className="input" value={search.status ?? ''} onChange={({ target }) => set('status', target.value)}>
          <option value="">Any</option>
          {RUN_STATUSES.map((status) => (
            <option key={status} value={status}>
              {describeStatus(status)}
            </option>
          ))}
        </select>
      </label>
      <label className="field">
        Agent
        <select className="input" value={search.agent ?? ''} onChange={({ target }) => set('agent', target.value)}>
          <option value="">Any</option>
          {agents.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <TextFilter label="Thread" value={search.thread} onCommit={(value) => set('thread', value)} />
      <TextFilter label="Subject" value={search.subject} onCommit={(value) => set('subject', value)} />
      <TextFilter
        label="Since"
        type="datetime-local"
        value={toLocal(search.since)}
        onCommit={(value) => set('since', toIso(value))}
      />
      <TextFilter
        label="Until"
        type="datetime-local"
        value={toLocal(search.until)}
        onCommit={(value) => set('until', toIso(value))}
      />
    </form>
  );
}

type TextFilterProps = Pick<InputHTMLAttributes<HTMLInputElement>, 'type'> & {
  label: string;
  value: string | undefined;
  onCommit(value: string): void;
};

/** Applies its text when it is complete: at Enter, or when it loses the focus. */
function TextFilter({ label, value = '', onCommit, type = 'text' }: TextFilterProps) {
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  if (shown !== value) {
    setShown(value);
    setText(value);
  }
  const commit = () => {
    if (text.trim() !== value) onCommit(text.trim());
  };
  return (
    <label className="field">
      {label}
      <input
        className="input"
        type={type}
        value={text}
        placeholder="Any"
        maxLength={200}
        onChange={({ target }) => setText(target.value)}
        onBlur={commit}
        onKeyDown={({ key }) => key === 'Enter' && commit()}
      />
    </label>
  );
}

const MINUTES_END = 16;

function toLocal(iso: string | undefined): string {
  const at = iso === undefined ? Number.NaN : Date.parse(iso);
  if (Number.isNaN(at)) return '';
  const offsetMs = new Date(at).getTimezoneOffset() * 60_000;
  return new Date(at - offsetMs).toISOString().slice(0, MINUTES_END);
}

function toIso(local: string): string {
  const at = Date.parse(local);
  return Number.isNaN(at) ? '' : new Date(at).toISOString();
}
