// Shows one message: its texts, its calls of tools with their approvals, and a block.
import type { UIMessage } from 'ai';

type Decide = (decision: { id: string; approved: boolean }) => PromiseLike<void> | void;

export function MessageView({ message, decide }: { message: UIMessage; decide: Decide }) {
  return (
    <article data-role={message.role}>
      {message.parts.map((part, at) => (
        <Part key={at} part={part} decide={decide} />
      ))}
    </article>
  );
}

function Part({ part, decide }: { part: UIMessage['parts'][number]; decide: Decide }) {
  if (part.type === 'text') return <p>{part.text}</p>;
  if (part.type === 'data-tripwire') return <strong>blocked</strong>;
  if (part.type !== 'dynamic-tool') return null;
  const { toolName, state } = part;
  return (
    <div>
      <code>{`${toolName}: ${state}`}</code>
      {state === 'approval-requested' && (
        <>
          <pre>{JSON.stringify(part.input, null, 2)}</pre>
          <button onClick={() => void decide({ id: part.approval.id, approved: true })}>Approve</button>
          <button onClick={() => void decide({ id: part.approval.id, approved: false })}>Deny</button>
        </>
      )}
    </div>
  );
}
