// Names a gateway that does not answer, above every page, and repeats the failed requests when it answers.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CloudOff } from 'lucide-react';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { onReachability, readReachable } from '../api/reachability.ts';
import { readSession } from '../api/session.ts';

const PROBE_MS = 2_000;

export function OfflineNotice() {
  const isReachable = useSyncExternalStore(onReachability, readReachable);
  const client = useQueryClient();
  const wasReachable = useRef(true);
  useQuery({
    queryKey: ['probe'],
    queryFn: readSession,
    enabled: !isReachable,
    refetchInterval: PROBE_MS,
    retry: false,
    gcTime: 0,
  });
  useEffect(() => {
    if (isReachable && !wasReachable.current)
      void client.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
    wasReachable.current = isReachable;
  }, [isReachable, client]);
  return (
    <div role="status" className="offline-place">
      {!isReachable && (
        <p className="offline">
          <CloudOff size={15} aria-hidden /> The gateway does not answer. The page has the last data that it received,
          and tries again.
        </p>
      )}
    </div>
  );
}
