import { Table, type Column } from '../ui/table.tsx';
import { readOptionRows } from './option-rows.ts';

const COLUMNS: readonly Column<ReturnType<typeof readOptionRows>[number]>[] = [
  { title: 'Option', show: ({ name }) => <code>{name}</code> },
  { title: 'Type', className: 'muted small', show: ({ type }) => type },
  {
    title: 'Default',
    className: 'small',
    show: ({ preset, isRequired }) => (isRequired ? 'required' : <code>{preset}</code>),
  },
  { title: 'Meaning', className: 'small', show: ({ about }) => about },
];

export function OptionTable({ schema }: { schema: unknown }) {
  const rows = readOptionRows(schema);
  if (rows.length === 0) return <p className="muted">This processor has no options.</p>;
  return <Table columns={COLUMNS} rows={rows} getKey={({ name }) => name} className="options" />;
}
