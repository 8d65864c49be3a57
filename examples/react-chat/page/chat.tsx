// A chat with an agent. The page loads its chat, continues the answer that is under way, sends messages, decides calls
// of tools and stops the run. The id of the chat is the fragment of the address.
import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { MessageView } from './message-view.tsx';

const API = '/api/chat';
/** Time before the page continues an answer whose connection was lost, ms. */
const RESUME_MS = 500;

const chatId = location.hash.slice(1) || crypto.randomUUID();
location.hash = chatId;

function Chat({ initial }: { initial: UIMessage[] }) {
  const [text, setText] = useState('');
  const chat = useChat({
    id: chatId,
    messages: initial,
    resume: true,
    transport: new DefaultChatTransport({ api: API }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    onFinish({ isDisconnect }) {
      // The run continues without the page: another gateway has its text.
      if (isDisconnect) setTimeout(() => void chat.resumeStream(), RESUME_MS);
    },
  });
  const isBusy = chat.status === 'submitted' || chat.status === 'streaming';
  const send = () => {
    setText('');
    void chat.sendMessage({ text });
  };
  return (
    <main>
      {chat.messages.map((message) => (
        <MessageView key={message.id} message={message} decide={chat.addToolApprovalResponse} />
      ))}
      {chat.error && (
        <p role="alert" id="error">
          {chat.error.message}
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <textarea
          id="text"
          aria-label="Message"
          placeholder="What is 17 * 23?"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        {isBusy ? (
          <button type="button" id="stop" onClick={() => void fetch(`${API}/${chatId}/stop`, { method: 'POST' })}>
            Stop
          </button>
        ) : (
          <button id="send" disabled={text.trim() === ''}>
            Send
          </button>
        )}
      </form>
      <output id="status">{chat.status}</output>
    </main>
  );
}

const loaded = await fetch(`${API}/${chatId}/messages`);
const { messages } = await loaded.json();
createRoot(document.body).render(<Chat initial={messages ?? []} />);
