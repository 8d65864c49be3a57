import { readOptionRows } from './option-rows.ts';

export function OptionTable({ schema }: { schema: unknown }) {
  const rows = readOptionRows(schema);
  if (rows.length === 0) return <p className="muted">This processor has no options.</p>;
  return (
    <div className="table-wrap">
      <table className="table options">
        <thead>
          <tr>
            <th scope="col">Option</th>
            <th scope="col">Type</th>
            <th scope="col">Default</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, type, preset, about, isRequired }) => (
            <tr key={name}>
              <td>
                <code>{name}</code>
              </td>
              <td className="muted small">{type}</td>
              <td className="small">{isRequired ? 'required' : <code>{preset}</code>}</td>
              <td className="small">{about}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
