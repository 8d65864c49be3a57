// The working memory of a resource, and its erasure in every store.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { eraseResource, buildMemoryQuery } from '../api/threads.ts';
import { Problem } from '../api/problem.ts';
import { Confirm } from '../ui/confirm.tsx';
import { ErrorNotice, Loading } from '../ui/feedback.tsx';
import { JsonView } from '../ui/json-view.tsx';
import { Badge } from '../ui/status.tsx';

export function ResourcePanel({ resource, canErase }: { resource: string; canErase: boolean }) {
  const { data, error } = useQuery(buildMemoryQuery({ resourceId: resource }));
  const [erasure, setErasure] = useState<string>();
  const client = useQueryClient();
  const erase = async () => {
    const eraseId = `console-${crypto.randomUUID()}`;
    await eraseResource(resource, eraseId);
    setErasure(eraseId);
    await client.invalidateQueries();
  };
  return (
    <section className="card" aria-label={`Memory of ${resource}`}>
      <header className="card-head">
        <h2>{resource}</h2>
        <span className="muted small">working memory</span>
        {canErase && (
          <span className="push">
            <Confirm
              title={`Erase ${resource}?`}
              about="Its threads, messages, vectors, memory, runs and events are deleted in every service. This cannot be undone."
              action="Erase the resource"
              run={erase}
              slim
            >
              Erase
            </Confirm>
          </span>
        )}
      </header>
      <div className="card-body stack">
        {erasure !== undefined && <ErasureProgress resource={resource} eraseId={erasure} />}
        {error ? (
          isNoMemory(error) ? (
            <p className="muted">No service of working memory is running.</p>
          ) : (
            <ErrorNotice error={error} />
          )
        ) : !data ? (
          <Loading lines={2} />
        ) : data.memory === null ? (
          <p className="muted">Nothing is stored.</p>
        ) : (
          <JsonView value={data.memory} label="Working memory" />
        )}
      </div>
    </section>
  );
}

const isNoMemory = (error: unknown): boolean => error instanceof Problem && error.code === 'nobody-there';
const POLL_MS = 1_000;

function ErasureProgress({ resource, eraseId }: { resource: string; eraseId: string }) {
  const { data } = useQuery({
    queryKey: ['erasure', eraseId],
    queryFn: () => eraseResource(resource, eraseId),
    refetchInterval: ({ state }) => (state.data?.status === 'done' ? false : POLL_MS),
  });
  if (!data) return null;
  return (
    <div role="status">
      <Badge tone={data.status === 'done' ? 'ok' : 'run'}>{data.status === 'done' ? 'Erased' : 'Erasing'}</Badge>
      <p className="small muted">
        {data.stores
          .map(({ store, deleted, error }) => `${store}: ${error ? error.message : `${deleted} deleted`}`)
          .join(' · ')}
      </p>
    </div>
  );
}
