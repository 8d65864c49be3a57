// The states of a page without data: an error with its remedy, an empty state, a placeholder.
import { CircleAlert, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Problem } from '../api/problem.ts';
import { Button } from './button.tsx';

export function ErrorNotice({ error, retry }: { error: unknown; retry?: () => void }) {
  const problem = error instanceof Problem ? error : undefined;
  return (
    <div className="notice" data-tone="bad" role="alert">
      <CircleAlert size={16} aria-hidden />
      <div className="stack">
        <div>
          <strong>{error instanceof Error ? error.message : 'The request failed.'}</strong>
          {problem?.remedy && <span className="small">{problem.remedy}</span>}
          {problem && problem.issues.length > 1 && (
            <ul className="small">
              {problem.issues.map(({ path, message }) => (
                <li key={path + message}>
                  <code>{path}</code> {message}
                </li>
              ))}
            </ul>
          )}
        </div>
        {retry && (
          <div>
            <Button slim onClick={retry}>
              Try again
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

type EmptyProps = { icon: LucideIcon; title: string; children?: ReactNode; action?: ReactNode };

export function Empty({ icon: Icon, title, children, action }: EmptyProps) {
  return (
    <div className="card empty">
      <Icon size={30} strokeWidth={1.5} aria-hidden />
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action && <div className="actions">{action}</div>}
    </div>
  );
}

/** Lines in place of data that is being read. */
export function Loading({ lines = 5 }: { lines?: number }) {
  return (
    <div className="card card-body stack" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, at) => (
        <div key={at} className="skeleton" style={{ width: `${90 - ((at * 23) % 50)}%` }} />
      ))}
    </div>
  );
}

type QueryState<T> = { data: T | undefined; error: unknown; refetch: () => unknown };

/** Shows the error or the placeholder of a query, and else its data. */
export function Loaded<T>({ query, children }: { query: QueryState<T>; children: (data: T) => ReactNode }) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <ErrorNotice error={query.error} retry={() => void query.refetch()} />;
  return <Loading />;
}
