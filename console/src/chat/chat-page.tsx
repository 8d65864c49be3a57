// A chat: the stored messages of its thread, then the turns of this page. After a reload in mid-stream the page joins the
// active run from its start.
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { buildNewestRunQuery, buildMessagesQuery, type NewestRun } from '../api/threads.ts';
import { buildRunsQuery, type RunPage } from '../api/runs.ts';
import { ErrorNotice, Loading } from '../ui/feedback.tsx';
import { isBusy } from './chat-turns.ts';
import { ChatFrame } from './chat-frame.tsx';
import { Composer } from './composer.tsx';
import { takeDraft, type Draft } from './draft.ts';
import { FollowScroll } from './follow-scroll.tsx';
import { StoredMessages } from './stored-messages.tsx';
import { readUserText } from './message-text.ts';
import { TurnView } from './turn-view.tsx';
import { useChat } from './use-chat.ts';

const RUNS_OF_THREAD = 20;

export function ChatPage() {
  const { agent, thread } = useParams({ from: '/chat/$agent/$thread' });
  return <ChatThread key={`${agent} ${thread}`} agent={agent} thread={thread} />;
}

function ChatThread({ agent, thread }: { agent: string; thread: string }) {
  const [draft] = useState(() => takeDraft(thread));
  if (draft)
    return (
      <Conversation
        agent={agent}
        thread={thread}
        draft={draft}
        newest={null}
        hasStored={false}
        resource={draft.resource}
      />
    );
  return <StoredThread agent={agent} thread={thread} />;
}

function StoredThread({ agent, thread }: { agent: string; thread: string }) {
  const runs = useQuery({ ...buildRunsQuery({ threadId: thread }, undefined, RUNS_OF_THREAD), refetchInterval: false });
  const newest = useQuery({ ...buildNewestRunQuery(thread), enabled: (runs.data?.runs.length ?? 0) > 0 });
  const error = runs.error ?? newest.error;
  if (error)
    return (
      <div className="page">
        <ErrorNotice error={error} retry={() => void runs.refetch()} />
      </div>
    );
  if (!runs.data || (runs.data.runs.length > 0 && newest.data === undefined))
    return (
      <div className="page">
        <Loading />
      </div>
    );
  return (
    <Conversation
      agent={agent}
      thread={thread}
      newest={newest.data ?? null}
      hasStored={mayBeStored(runs.data)}
      resource={runs.data.runs[0]?.resourceId}
    />
  );
}

/** A thread is stored when its first run finishes. The runs of an old thread may have expired. */
const mayBeStored = ({ runs }: RunPage): boolean =>
  runs.length === 0 || runs.length === RUNS_OF_THREAD || runs.some(({ status }) => status === 'finished');

type ConversationProps = {
  agent: string;
  thread: string;
  draft?: Draft;
  newest: NewestRun | null;
  hasStored: boolean;
  resource: string | undefined;
};

function Conversation({ agent, thread, draft, newest, hasStored, resource }: ConversationProps) {
  const chat = useChat({ agent, thread, resource });
  const { send, join } = chat;
  const stored = useQuery({ ...buildMessagesQuery(thread), enabled: hasStored, staleTime: Infinity });
  // The thread has the messages of a finished run, unless its agent has no memory.
  const isShownByThread = newest?.run.status === 'finished' && stored.data?.total !== 0;
  useEffect(() => {
    if (draft) send(draft.text);
    else if (newest && !isShownByThread) join(newest.run.runId, readUserText(newest.input));
  }, [draft, newest, isShownByThread, send, join]);
  const last = chat.turns.at(-1);
  const shownRun = last?.runId ?? newest?.run.runId;
  return (
    <ChatFrame
      agent={agent}
      thread={thread}
      resource={resource ?? ''}
      runId={shownRun}
      isLive={isBusy(last) || last?.phase === 'suspended'}
    >
      <FollowScroll mark={last?.history}>
        {stored.error && <ErrorNotice error={stored.error} retry={() => void stored.refetch()} />}
        {stored.data && <StoredMessages messages={stored.data.messages} />}
        {chat.turns.map((turn) => (
          <TurnView key={turn.key} turn={turn} chat={chat} />
        ))}
      </FollowScroll>
      <Composer
        isBusy={isBusy(last)}
        onSend={send}
        onStop={last?.runId === undefined ? undefined : () => chat.stop(last)}
      />
    </ChatFrame>
  );
}
