// An empty chat. Its first message creates the thread and moves to the thread's page, so that an address with a thread
// always has a run.
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ChatFrame } from './chat-frame.tsx';
import { Composer } from './composer.tsx';
import { storeDraft } from './draft.ts';
import { Greeting } from './greeting.tsx';

/** A thread belongs to its owner: its id is no secret. */
const THREAD_CHARS = 13;

export function NewChat() {
  const { agent } = useParams({ from: '/chat/$agent' });
  const navigate = useNavigate();
  const [resource, setResource] = useState('');
  const begin = (text: string) => {
    const thread = `chat-${crypto.randomUUID().slice(0, THREAD_CHARS)}`;
    storeDraft(thread, { text, resource: resource.trim() || undefined });
    void navigate({ to: '/chat/$agent/$thread', params: { agent, thread } });
  };
  return (
    <ChatFrame
      agent={agent}
      thread={undefined}
      resource={resource}
      onResource={setResource}
      runId={undefined}
      isLive={false}
    >
      <div className="chat-scroll">
        <Greeting agent={agent} onPick={begin} />
      </div>
      <Composer isBusy={false} onSend={begin} />
    </ChatFrame>
  );
}
