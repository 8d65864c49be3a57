// Runs a chat: starts runs, follows them, settles their questions, and joins the run that is active when the page loads.
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useReducer, useRef } from 'react';
import { followRun, type FollowHandlers } from '../api/follow-run.ts';
import { cancelRun, settlePending, type Settlement } from '../api/operations.ts';
import { startRun } from '../api/start-run.ts';
import { reduceTurns, type Turn, type TurnAction } from './chat-turns.ts';
import { writePosition } from '../runs/chunk-history.ts';

export type ChatTarget = { agent: string; thread: string; resource: string | undefined };
export type Chat = {
  turns: readonly Turn[];
  send(text: string): void;
  join(runId: string, text: string | undefined): void;
  /** Answers a pending item. The run stays suspended while another item waits. @throws Problem */
  settle(turn: Turn, verb: 'answer' | 'resume', token: string, settlement: Settlement): Promise<void>;
  /** Follows a suspended run that has its answers. */
  resume(turn: Turn): void;
  stop(turn: Turn): void;
};

export function useChat({ agent, thread, resource }: ChatTarget): Chat {
  const [turns, dispatch] = useReducer(reduceTurns, []);
  const leaving = useLeaving();
  const client = useQueryClient();
  const send = useCallback(
    (text: string) => {
      const key = crypto.randomUUID();
      dispatch({ type: 'started', key, text });
      void runTurn(dispatch, key, leaving(), async (signal, handlers) => {
        const { runId, response } = await startRun({ agent, thread, resource, text, key }, signal);
        dispatch({ type: 'accepted', key, runId });
        await followRun(runId, handlers, { signal, opened: response });
      });
    },
    [agent, thread, resource, leaving],
  );
  const join = useCallback(
    (runId: string, text: string | undefined) => {
      dispatch({ type: 'joined', key: runId, text, runId });
      void runTurn(dispatch, runId, leaving(), (signal, handlers) => followRun(runId, handlers, { signal }));
    },
    [leaving],
  );
  const resume = useCallback(
    ({ key, runId, history }: Turn) => {
      if (runId === undefined) return;
      dispatch({ type: 'resumed', key });
      void runTurn(dispatch, key, leaving(), (signal, handlers) =>
        followRun(runId, handlers, { signal, after: writePosition(history) }),
      );
    },
    [leaving],
  );
  const settle = useCallback(
    async (turn: Turn, verb: 'answer' | 'resume', token: string, settlement: Settlement) => {
      const { runId = '' } = turn;
      await settlePending(verb, runId, token, settlement);
      await client.invalidateQueries({ queryKey: ['suspended'] });
      await client.invalidateQueries({ queryKey: ['run', runId] });
    },
    [client],
  );
  const stop = useCallback(({ key, runId }: Turn) => {
    if (runId !== undefined) cancelRun(runId).catch((error: unknown) => dispatch({ type: 'refused', key, error }));
  }, []);
  return useMemo(() => ({ turns, send, join, settle, resume, stop }), [turns, send, join, settle, resume, stop]);
}

/** Returns the signal of the mounted page: reading ends with the page, and the runs continue. */
function useLeaving(): () => AbortSignal {
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  return useCallback(() => {
    if (!controller.current || controller.current.signal.aborted) controller.current = new AbortController();
    return controller.current.signal;
  }, []);
}

type Dispatch = (action: TurnAction) => void;

async function runTurn(
  dispatch: Dispatch,
  key: string,
  signal: AbortSignal,
  work: (signal: AbortSignal, handlers: FollowHandlers) => Promise<void>,
): Promise<void> {
  try {
    await work(signal, {
      onChunks: (chunks) => dispatch({ type: 'chunks', key, chunks }),
      onConnection: (isConnected) => dispatch({ type: 'connection', key, isConnected }),
      onEnd: (end) => dispatch({ type: 'ended', key, end }),
    });
  } catch (error) {
    if (!signal.aborted) dispatch({ type: 'refused', key, error });
  }
}
