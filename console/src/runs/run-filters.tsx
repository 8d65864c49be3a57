import { useQuery } from '@tanstack/react-query';
import { agentsQuery } from '../api/agents.ts';
import { Filters, SelectFilter, TextFilter } from '../ui/filters.tsx';
import { describeStatus, RUN_STATUSES } from '../ui/status.tsx';
import type { RunSearch } from './run-search.ts';

type RunFiltersProps = { search: RunSearch; onChange(search: RunSearch): void };
type FilterName = Exclude<keyof RunSearch, 'after'>;

export function RunFilters({ search, onChange }: RunFiltersProps) {
  const { data: agents = [] } = useQuery(agentsQuery);
  const bind = (label: string, name: FilterName) => ({
    label,
    value: search[name],
    onCommit(value: string) {
      const { after: _after, [name]: _previous, ...rest } = search;
      onChange(value === '' ? rest : { ...rest, [name]: value });
    },
  });
  const bindTime = (label: string, name: 'since' | 'until') => {
    const { value, onCommit } = bind(label, name);
    const commit = (local: string) => onCommit(toIso(local));
    return { label, type: 'datetime-local', value: toLocal(value), onCommit: commit };
  };
  return (
    <Filters>
      <SelectFilter {...bind('Status', 'status')}>
        {RUN_STATUSES.map((status) => (
          <option key={status} value={status}>
            {describeStatus(status)}
          </option>
        ))}
      </SelectFilter>
      <SelectFilter {...bind('Agent', 'agent')}>
        {agents.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </SelectFilter>
      <TextFilter {...bind('Thread', 'thread')} />
      <TextFilter {...bind('Subject', 'subject')} />
      <TextFilter {...bindTime('Since', 'since')} />
      <TextFilter {...bindTime('Until', 'until')} />
    </Filters>
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
