// The frame of a chat: the choice of the agent above, the conversation, and the stages of its run beside it.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { PanelRight, Plus } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { agentsQuery } from '../api/agents.ts';
import { Button } from '../ui/button.tsx';
import { StageTimeline } from './stage-timeline.tsx';
import { storeLastAgent } from './chat-home.tsx';
import '../styles/chat.css';

type FrameProps = {
  agent: string;
  thread: string | undefined;
  resource: string;
  /** Absent: the chat has begun, and its owner is fixed. */
  onResource?: (resource: string) => void;
  runId: string | undefined;
  isLive: boolean;
  children: ReactNode;
};

export function ChatFrame({ agent, thread, resource, onResource, runId, isLive, children }: FrameProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="chat" data-stages={isOpen ? 'open' : 'closed'}>
      <section className="chat-main" aria-label={`Chat with ${agent}`}>
        <header className="chat-head">
          <AgentChoice agent={agent} />
          <input
            className="input slim owner"
            aria-label="Resource"
            title="The user for whom memory is kept. Default: the subject of the key."
            placeholder="resource"
            value={resource}
            readOnly={!onResource}
            maxLength={200}
            onChange={({ target }) => onResource?.(target.value)}
          />
          <span className="push" />
          {thread !== undefined && (
            <Link to="/chat/$agent" params={{ agent }} className="button slim" aria-label="New chat">
              <Plus size={14} aria-hidden /> <span>New chat</span>
            </Link>
          )}
          <Button
            slim
            icon
            className="stages-toggle"
            aria-label="Stages"
            aria-pressed={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <PanelRight size={15} />
          </Button>
        </header>
        {children}
      </section>
      <aside className="chat-stages" aria-label="Stages of the run">
        <StageTimeline runId={runId} isLive={isLive} />
      </aside>
    </div>
  );
}

function AgentChoice({ agent }: { agent: string }) {
  const navigate = useNavigate();
  const { data = [] } = useQuery(agentsQuery);
  const names = data.some(({ name }) => name === agent)
    ? data.map(({ name }) => name)
    : [agent, ...data.map(({ name }) => name)];
  const choose = (name: string) => {
    storeLastAgent(name);
    void navigate({ to: '/chat/$agent', params: { agent: name } });
  };
  return (
    <select
      className="input slim agent"
      aria-label="Agent"
      value={agent}
      onChange={({ target }) => choose(target.value)}
    >
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}
