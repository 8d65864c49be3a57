import type { Message, MessagePart } from '@millrace/contracts';
import { Markdown } from '../ui/markdown.tsx';
import { CallCard } from './call-card.tsx';
import { groupMessages, readMessageText } from './message-text.ts';
import { UserText } from './user-text.tsx';

export function StoredMessages({ messages }: { messages: readonly Message[] }) {
  return groupMessages(messages).map(({ role, id, messages: own }) =>
    role === 'user' ? (
      <UserText key={id} text={own.map(readMessageText).join('\n\n')} />
    ) : (
      <article key={id} className="answer" aria-label="Answer">
        {own.flatMap(({ id: messageId, content }) =>
          content.parts.map((part, at) => <StoredPart key={`${messageId}.${at}`} part={part} />),
        )}
      </article>
    ),
  );
}

function StoredPart({ part }: { part: MessagePart }) {
  if (part.type === 'text') return <Markdown text={part.text} />;
  if (part.type !== 'tool-invocation') return null;
  const { toolName, args, result, isError, denied, state } = part.toolInvocation;
  const outcome = denied ? 'denied' : isError ? 'error' : state === 'result' ? 'done' : 'running';
  return <CallCard tool={toolName} args={args} state={outcome} result={result} />;
}
