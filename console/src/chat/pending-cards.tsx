// The questions and approvals of a suspended run, answered in place.
import { useQuery } from '@tanstack/react-query';
import type { ShownPending } from '@millrace/contracts';
import { useEffect } from 'react';
import { suspendedQuery, type Settlement } from '../api/operations.ts';
import { runQuery } from '../api/runs.ts';
import { isOperator, sessionQuery } from '../api/session.ts';
import type { Turn } from './chat-turns.ts';
import { PendingCard } from './pending-card.tsx';
import type { Chat } from './use-chat.ts';

export function PendingCards({ turn, chat }: { turn: Turn; chat: Chat }) {
  const { runId = '' } = turn;
  const { data: session } = useQuery(sessionQuery);
  const canDecide = isOperator(session);
  const run = useQuery(runQuery(runId));
  const suspended = useQuery({ ...suspendedQuery, enabled: canDecide, refetchOnMount: 'always' });
  const status = run.data?.status;
  useEffect(() => {
    // Another page or the command line may answer.
    if (status !== undefined && status !== 'suspended') chat.resume(turn);
  }, [status, chat, turn]);
  const tokens = new Map(
    (suspended.data ?? [])
      .filter((one) => one.runId === runId)
      .flatMap(({ pending }) => pending.map(({ id, resumeToken }) => [id, resumeToken])),
  );
  return (run.data?.pending ?? []).map((item) => {
    const token = tokens.get(item.id) ?? item.resumeToken;
    const verb = tokens.has(item.id) ? 'resume' : 'answer';
    const settle =
      token === undefined ? undefined : (settlement: Settlement) => chat.settle(turn, verb, token, settlement);
    return (
      <PendingCard
        key={item.id}
        item={item satisfies ShownPending}
        onSettle={settle}
        isOperator={tokens.has(item.id)}
      />
    );
  });
}
