// The table of every list: a column has a title and shows a member of a row.
import type { ReactNode } from 'react';

export type Column<Row> = {
  title: string;
  /** True if screen readers alone read the title. */
  isSilent?: boolean;
  isEnd?: boolean;
  className?: string;
  show(row: Row): ReactNode;
};

type TableProps<Row> = {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  getKey(row: Row): string;
  /** `fold`: the rows of a phone are cards. */
  className?: string;
};

export const Table = <Row,>({ columns, rows, getKey, className = 'fold' }: TableProps<Row>) => (
  <div className="table-wrap" tabIndex={-1}>
    <table className={`table ${className}`}>
      <thead>
        <tr>
          {columns.map(({ title, isSilent, isEnd }) => (
            <th key={title} scope="col" className={isEnd ? 'end' : undefined}>
              {isSilent ? <span className="sr-only">{title}</span> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={getKey(row)}>
            {columns.map(({ title, isEnd, className: own = '', show }) => (
              <td key={title} className={isEnd ? `end ${own}` : own}>
                {show(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

export const None = ({ children }: { children: string }) => <span className="muted">{children}</span>;
