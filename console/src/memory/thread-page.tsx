import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { MessagesSquare } from 'lucide-react';
import { useState } from 'react';
import { deleteThread, buildMessagesQuery, readTitle, renameThread, buildThreadQuery } from '../api/threads.ts';
import { buildRunsQuery } from '../api/runs.ts';
import { StoredMessages } from '../chat/stored-messages.tsx';
import { RunTable } from '../runs/run-table.tsx';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Empty, ErrorNotice, Loaded } from '../ui/feedback.tsx';
import { Page } from '../ui/page.tsx';
import '../styles/chat.css';
import './memory.css';

const RUNS_SHOWN = 20;

/** One thread: its messages and its runs. */
export function ThreadPage() {
  const { thread } = useParams({ from: '/threads/$thread' });
  const messages = useQuery(buildMessagesQuery(thread));
  const query = useQuery({ ...buildThreadQuery(thread), enabled: (messages.data?.total ?? 0) > 0 });
  const runs = useQuery(buildRunsQuery({ threadId: thread }, undefined, RUNS_SHOWN));
  const title = query.data ? readTitle(query.data) : thread;
  const agent = runs.data?.runs[0]?.agent;
  return (
    <Page
      crumb={<Link to="/threads">Threads</Link>}
      title={title}
      about={title !== thread && <span className="mono">{thread}</span>}
      actions={
        <>
          {agent !== undefined && (
            <Link to="/chat/$agent/$thread" params={{ agent, thread }} className="button">
              Open the chat
            </Link>
          )}
          {query.data && <Rename thread={thread} title={title} />}
          {query.data && <Remove thread={thread} />}
        </>
      }
    >
      {query.error && <ErrorNotice error={query.error} />}
      <Loaded query={messages}>
        {({ messages: found }) =>
          found.length === 0 ? (
            <Empty icon={MessagesSquare} title="No stored messages">
              A run stores its messages when it finishes. Blocked messages are not stored.
            </Empty>
          ) : (
            <section className="card thread" aria-label="Messages">
              <StoredMessages messages={found} />
            </section>
          )
        }
      </Loaded>
      {runs.data && runs.data.runs.length > 0 && (
        <section className="stack">
          <h2>Runs</h2>
          <RunTable runs={runs.data.runs} />
        </section>
      )}
    </Page>
  );
}

function Rename({ thread, title }: { thread: string; title: string }) {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState(title);
  const [error, setError] = useState<unknown>();
  const client = useQueryClient();
  const rename = async () => {
    try {
      await renameThread(thread, text.trim());
      await client.invalidateQueries({ queryKey: ['thread', thread] });
      await client.invalidateQueries({ queryKey: ['threads'] });
      setOpen(false);
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>Rename</Button>
      <Dialog open={isOpen} onOpenChange={setOpen} title="Rename the thread">
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void rename();
          }}
        >
          <label className="field">
            Title
            <input className="input" value={text} maxLength={200} onChange={({ target }) => setText(target.value)} />
          </label>
          {error !== undefined && <ErrorNotice error={error} />}
          <div className="actions">
            <Button onClick={() => setOpen(false)}>Close</Button>
            <Button type="submit" variant="primary" disabled={text.trim() === ''}>
              Rename
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}

function Remove({ thread }: { thread: string }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const remove = async () => {
    await deleteThread(thread);
    await client.invalidateQueries({ queryKey: ['threads'] });
    await navigate({ to: '/threads' });
  };
  return (
    <Confirm
      title="Delete this thread?"
      about="Its messages, their vectors and its own working memory are deleted. Its runs remain until they expire."
      action="Delete the thread"
      run={remove}
    >
      Delete
    </Confirm>
  );
}
